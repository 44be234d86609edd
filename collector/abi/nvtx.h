// SPDX-License-Identifier: Apache-2.0
// The NVTX 3 injection interface: the functions that a program's NVTX header passes to the library named
// by NVTX_INJECTION64_PATH.
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
inline constexpr CoreId kCoreNameCategoryA = 12;
inline constexpr CoreId kCoreNameCategoryW = 13;
inline constexpr CoreId kCoreNameOsThreadA = 14;
inline constexpr CoreId kCoreNameOsThreadW = 15;
inline constexpr CoreId kCoreFunctions = 16;
using Core2Id = unsigned;
inline constexpr Core2Id kCore2MarkEx = 1;
inline constexpr Core2Id kCore2RangeStartEx = 2;
inline constexpr Core2Id kCore2RangeEnd = 3;
inline constexpr Core2Id kCore2RangePushEx = 4;
inline constexpr Core2Id kCore2RangePop = 5;
inline constexpr Core2Id kCore2NameCategoryA = 8;
inline constexpr Core2Id kCore2NameCategoryW = 9;
inline constexpr Core2Id kCore2RegisterStringA = 10;
inline constexpr Core2Id kCore2RegisterStringW = 11;
inline constexpr Core2Id kCore2DomainCreateA = 12;
inline constexpr Core2Id kCore2DomainCreateW = 13;
inline constexpr Core2Id kCore2DomainDestroy = 14;
inline constexpr Core2Id kCore2Functions = 16;
using MessageType = std::int32_t;
inline constexpr MessageType kMessageAscii = 1;
inline constexpr MessageType kMessageUnicode = 2;
inline constexpr MessageType kMessageRegistered = 3;
/// payloadType of an event whose payload points to `reserved0` structs PayloadData.
inline constexpr std::int32_t kPayloadExtension = static_cast<std::int32_t>(0xDFBD0009);

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

// The payload extension (nvToolsExtPayload.h, nvtxDetail/nvtxExtTypes.h). A tool writes its functions
// into the slots.
inline constexpr std::uint16_t kExtensionPayload = 2;
using PayloadId = unsigned;
inline constexpr PayloadId kPayloadSchemaRegister = 0;
inline constexpr PayloadId kPayloadEnumRegister = 1;
inline constexpr PayloadId kPayloadMark = 2;
inline constexpr PayloadId kPayloadRangePush = 3;
inline constexpr PayloadId kPayloadRangePop = 4;
inline constexpr PayloadId kPayloadRangeStart = 5;
inline constexpr PayloadId kPayloadRangeEnd = 6;
inline constexpr PayloadId kPayloadFunctions = 7;
/// NCCL 2.28 has this version; later ones add to it.
inline constexpr std::uint16_t kOldestPayloadExtension = 0x0103;
struct PayloadData { ///< nvtxPayloadData_v1
    std::uint64_t schemaId;
    std::size_t size; ///< SIZE_MAX if the schema contains the size
    const void* payload;
};
struct SchemaEntry { ///< nvtxPayloadSchemaEntry_v1
    std::uint64_t flags;
    std::uint64_t type; ///< a predefined one, or the id of a schema or an enumeration
    const char* name;
    const char* description;
    std::uint64_t arrayOrUnionDetail;
    std::uint64_t offset;
    const void* semantics;
    const void* reserved;
};
static_assert(sizeof(SchemaEntry) == 64);
inline constexpr std::uint64_t kSchemaStatic = 1;       ///< every entry has its place
inline constexpr std::uint64_t kSchemaHasType = 1 << 2; ///< bits of fieldMask
inline constexpr std::uint64_t kSchemaHasEntries = 1 << 4;
inline constexpr std::uint64_t kSchemaHasCount = 1 << 5;
inline constexpr std::uint64_t kSchemaHasSize = 1 << 6;
inline constexpr std::uint64_t kSchemaHasId = 1 << 8;
struct SchemaAttributes { ///< nvtxPayloadSchemaAttr_v1
    std::uint64_t fieldMask;
    const char* name;
    std::uint64_t type;
    std::uint64_t flags;
    const SchemaEntry* entries;
    std::size_t entryCount;
    std::size_t payloadBytes;
    std::size_t alignment;
    std::uint64_t schemaId;
    void* extension;
};
static_assert(sizeof(SchemaAttributes) == 80);
inline constexpr std::uint64_t kEnumHasSize = 1 << 4;
inline constexpr std::uint64_t kEnumHasId = 1 << 5;
struct EnumAttributes { ///< nvtxPayloadEnumAttr_v1
    std::uint64_t fieldMask;
    const char* name;
    const void* entries;
    std::size_t entryCount;
    std::size_t valueBytes;
    std::uint64_t schemaId;
    void* extension;
};
static_assert(sizeof(EnumAttributes) == 56);
inline constexpr std::uint64_t kFirstDynamicSchema = std::uint64_t{1} << 32;
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
