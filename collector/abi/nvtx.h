// SPDX-License-Identifier: Apache-2.0
// The NVTX 3 injection interface: what a program's NVTX header hands to the library named by
// NVTX_INJECTION64_PATH.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ringside::collector::nvtx {

enum Module : std::int32_t { kModuleCore = 1, kModuleCore2 = 5 };
enum CoreId : unsigned {
    kCoreMarkEx = 1,
    kCoreMarkA,
    kCoreMarkW,
    kCoreRangeStartEx,
    kCoreRangeStartA,
    kCoreRangeStartW,
    kCoreRangeEnd,
    kCoreRangePushEx,
    kCoreRangePushA,
    kCoreRangePushW,
    kCoreRangePop,
};
enum Core2Id : unsigned {
    kCore2MarkEx = 1,
    kCore2RangeStartEx,
    kCore2RangeEnd,
    kCore2RangePushEx,
    kCore2RangePop,
    kCore2RegisterStringA = 10,
    kCore2RegisterStringW,
    kCore2DomainCreateA,
    kCore2DomainCreateW,
    kCore2DomainDestroy,
};
enum MessageType : std::int32_t { kMessageAscii = 1, kMessageUnicode = 2, kMessageRegistered = 3 };

struct EventAttributes { ///< nvtxEventAttributes_v2
    std::uint16_t version, size;
    std::uint32_t category;
    std::int32_t colorType;
    std::uint32_t color;
    std::int32_t payloadType, reserved0;
    std::uint64_t payload;
    std::int32_t messageType;
    const void* message;
};
static_assert(sizeof(EventAttributes) == 48);

using Function = void (*)();
using FunctionTable = Function**;
struct CallbackTable {
    std::size_t structSize;
    int (*getModuleFunctionTable)(std::int32_t module, FunctionTable* table, unsigned* size);
};
inline constexpr std::uint32_t kExportTableCallbacks = 1;
using GetExportTable = const void* (*)(std::uint32_t id);

} // namespace ringside::collector::nvtx
