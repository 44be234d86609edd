// SPDX-License-Identifier: Apache-2.0
// The NVTX 3 injection interface: what a program's NVTX header hands to the library named by
// NVTX_INJECTION64_PATH.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ringside::collector::nvtx {

using Module = std::int32_t;
inline constexpr Module kModuleCore = 1;
inline constexpr Module kModuleCore2 = 5;
using CoreId = unsigned;
inline constexpr CoreId kCoreMarkEx = 1;
inline constexpr CoreId kCoreMarkA = 2;
inline constexpr CoreId kCoreMarkW = 3;
inline constexpr CoreId kCoreRangeStartEx = 4;
inline constexpr CoreId kCoreRangeStartA = 5;
inline constexpr CoreId kCoreRangeStartW = 6;
inline constexpr CoreId kCoreRangeEnd = 7;
inline constexpr CoreId kCoreRangePushEx = 8;
inline constexpr CoreId kCoreRangePushA = 9;
inline constexpr CoreId kCoreRangePushW = 10;
inline constexpr CoreId kCoreRangePop = 11;
using Core2Id = unsigned;
inline constexpr Core2Id kCore2MarkEx = 1;
inline constexpr Core2Id kCore2RangeStartEx = 2;
inline constexpr Core2Id kCore2RangeEnd = 3;
inline constexpr Core2Id kCore2RangePushEx = 4;
inline constexpr Core2Id kCore2RangePop = 5;
inline constexpr Core2Id kCore2RegisterStringA = 10;
inline constexpr Core2Id kCore2RegisterStringW = 11;
inline constexpr Core2Id kCore2DomainCreateA = 12;
inline constexpr Core2Id kCore2DomainCreateW = 13;
inline constexpr Core2Id kCore2DomainDestroy = 14;
using MessageType = std::int32_t;
inline constexpr MessageType kMessageAscii = 1;
inline constexpr MessageType kMessageUnicode = 2;
inline constexpr MessageType kMessageRegistered = 3;

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

// The payload extension (nvToolsExtPayload.h, nvtxDetail/nvtxExtTypes.h): a tool writes its functions into
// the slots.
inline constexpr std::uint16_t kExtensionPayload = 2;
using PayloadId = unsigned;
inline constexpr PayloadId kPayloadMark = 2;
inline constexpr PayloadId kPayloadRangePush = 3;
inline constexpr PayloadId kPayloadRangePop = 4;
inline constexpr PayloadId kPayloadRangeStart = 5;
inline constexpr PayloadId kPayloadRangeEnd = 6;
struct ExtensionSegment {
    std::size_t id;
    std::size_t slotCount;
    std::intptr_t* slots;
};
struct ExtensionModule {
    std::uint16_t nvtxVersion, structSize, moduleId, compatibilityId;
    std::size_t segmentCount;
    ExtensionSegment* segments;
    std::intptr_t (*getExportFunction)(std::uint32_t id);
    const void* typeInformation;
};
static_assert(sizeof(ExtensionModule) == 40);

} // namespace ringside::collector::nvtx
