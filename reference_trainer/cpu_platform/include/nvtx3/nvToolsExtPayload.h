// SPDX-License-Identifier: Apache-2.0
// The part of NVTX's payload extension that the emulated libraries use, for builds without the CUDA toolkit:
// schemas, enumerations and payloads of ranges, by the original's protocol, so that any tool understands it.
// Numbers and layouts are those of CUDA 13.0's header.
#pragma once
#include "nvToolsExt.h"

#include <cstdint>

#define NVTX_PAYLOAD_TYPE_EXT (static_cast<int32_t>(0xDFBD0009))
#define NVTX_PAYLOAD_ENTRY_TYPE_INT 5
#define NVTX_PAYLOAD_ENTRY_TYPE_UINT64 18
#define NVTX_PAYLOAD_ENTRY_TYPE_SIZE 22
#define NVTX_PAYLOAD_ENTRY_TYPE_INFO_ARRAY_SIZE 28
#define NVTX_PAYLOAD_SCHEMA_ID_STATIC_START (1 << 24)
#define NVTX_PAYLOAD_SCHEMA_TYPE_STATIC 1
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE (1 << 2)
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES (1 << 4)
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES (1 << 5)
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE (1 << 6)
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID (1 << 8)
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES (1 << 2)
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES (1 << 3)
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE (1 << 4)
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID (1 << 5)

struct nvtxPayloadData_t {
    uint64_t schemaId;
    size_t size;
    const void* payload;
};
struct nvtxPayloadSchemaEntry_t {
    uint64_t flags;
    uint64_t type;
    const char* name;
    const char* description;
    uint64_t arrayOrUnionDetail;
    uint64_t offset;
    const void* semantics;
    const void* reserved;
};
struct nvtxPayloadSchemaAttr_t {
    uint64_t fieldMask;
    const char* name;
    uint64_t type;
    uint64_t flags;
    const nvtxPayloadSchemaEntry_t* entries;
    size_t numEntries;
    size_t payloadStaticSize;
    size_t packAlign;
    uint64_t schemaId;
    void* extension;
};
struct nvtxPayloadEnum_t {
    const char* name;
    uint64_t value;
    int8_t isFlag;
};
struct nvtxPayloadEnumAttr_t {
    uint64_t fieldMask;
    const char* name;
    const nvtxPayloadEnum_t* entries;
    size_t numEntries;
    size_t sizeOfEnum;
    uint64_t schemaId;
    void* extension;
};

namespace ringside::nvtx {

// Numbers of the extension's functions that this client can call; tools may know of more.
enum PayloadFunction : unsigned { kSchemaRegister = 0, kEnumRegister = 1, kRangePopPayload = 4 };
constexpr size_t kPayloadSlots = 63;
constexpr intptr_t kSlotEmpty = 0;
constexpr intptr_t kSlotDisabled = 1;

struct ExtensionSegment {
    size_t id;
    size_t slotCount;
    intptr_t* slots;
};
struct ExtensionModule {
    uint16_t nvtxVersion;
    uint16_t structSize;
    uint16_t moduleId;
    uint16_t compatibilityId;
    size_t segmentCount;
    ExtensionSegment* segments;
    intptr_t (*exportFunction)(uint32_t);
    const void* information;
};
struct TypeInformation {
    uint16_t size;
    uint16_t alignment;
};

template <class T>
constexpr TypeInformation kTypeOf{sizeof(T), alignof(T)};

/// Size and alignment of the predefined types, by their numbers; in front how many there are.
inline constexpr TypeInformation kTypes[NVTX_PAYLOAD_ENTRY_TYPE_INFO_ARRAY_SIZE] = {
    {NVTX_PAYLOAD_ENTRY_TYPE_INFO_ARRAY_SIZE, sizeof(TypeInformation)},
    kTypeOf<char>,
    kTypeOf<unsigned char>,
    kTypeOf<short>,
    kTypeOf<unsigned short>,
    kTypeOf<int>,
    kTypeOf<unsigned>,
    kTypeOf<long>,
    kTypeOf<unsigned long>,
    kTypeOf<long long>,
    kTypeOf<unsigned long long>,
    kTypeOf<int8_t>,
    kTypeOf<uint8_t>,
    kTypeOf<int16_t>,
    kTypeOf<uint16_t>,
    kTypeOf<int32_t>,
    kTypeOf<uint32_t>,
    kTypeOf<int64_t>,
    kTypeOf<uint64_t>,
    kTypeOf<float>,
    kTypeOf<double>,
    kTypeOf<long double>,
    kTypeOf<size_t>,
    kTypeOf<void*>,
    kTypeOf<wchar_t>,
    kTypeOf<char8_t>,
    kTypeOf<char16_t>,
    kTypeOf<char32_t>};

inline intptr_t payloadSlots[kPayloadSlots];
inline std::once_flag payloadAttached;

/// The tool's core functions come first, as with the original; a tool without the extension is no error.
inline void attachPayloadTool()
{
    std::call_once(attached, attachTool);
    const char* path = std::getenv("NVTX_INJECTION64_PATH");
    void* library = path == nullptr || *path == '\0' ? nullptr : dlopen(path, RTLD_LAZY);
    using Initialize = int (*)(ExtensionModule*);
    auto initialize = library == nullptr
                          ? nullptr
                          : reinterpret_cast<Initialize>(dlsym(library, "InitializeInjectionNvtxExtension"));
    ExtensionSegment segment{0, kPayloadSlots, payloadSlots};
    ExtensionModule module{NVTX_VERSION, sizeof(ExtensionModule), 2, 0x0104, 1, &segment, nullptr, kTypes};
    const bool usable = initialize != nullptr && initialize(&module) != 0;
    for (intptr_t& slot : payloadSlots)
        if (!usable || slot == kSlotEmpty)
            slot = kSlotDisabled;
}

/// The tool's function, null without a tool or where it does not want it.
template <class Signature>
Signature* payloadFunction(PayloadFunction number)
{
    std::call_once(payloadAttached, attachPayloadTool);
    const intptr_t slot = payloadSlots[number];
    return slot == kSlotDisabled ? nullptr : reinterpret_cast<Signature*>(slot);
}

} // namespace ringside::nvtx

inline uint64_t nvtxPayloadSchemaRegister(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* schema)
{
    using namespace ringside::nvtx;
    auto* call =
        payloadFunction<uint64_t(nvtxDomainHandle_t, const nvtxPayloadSchemaAttr_t*)>(kSchemaRegister);
    return call == nullptr ? 0 : call(domain, schema);
}
inline uint64_t nvtxPayloadEnumRegister(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* enumeration)
{
    using namespace ringside::nvtx;
    auto* call = payloadFunction<uint64_t(nvtxDomainHandle_t, const nvtxPayloadEnumAttr_t*)>(kEnumRegister);
    return call == nullptr ? 0 : call(domain, enumeration);
}
inline int nvtxRangePopPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count)
{
    using namespace ringside::nvtx;
    auto* call = payloadFunction<int(nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t)>(kRangePopPayload);
    return call == nullptr ? NVTX_NO_PUSH_POP_TRACKING : call(domain, payloads, count);
}
