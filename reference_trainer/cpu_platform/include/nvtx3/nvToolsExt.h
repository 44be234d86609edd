// SPDX-License-Identifier: Apache-2.0
// A minimal NVTX version 3 client for builds without the CUDA toolkit: ranges, marks, domains and registered
// strings, handed to the tool that NVTX_INJECTION64_PATH names, by the same protocol as the original (so any
// NVTX tool works). Without that variable every call costs a load and a branch. C++ only; each shared object
// has its own copy, as there.
#pragma once
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE (static_cast<uint16_t>(sizeof(nvtxEventAttributes_t)))
#define NVTX_NO_PUSH_POP_TRACKING (-2)

using nvtxRangeId_t = uint64_t;
using nvtxDomainHandle_t = struct nvtxDomainRegistration_st*;
using nvtxStringHandle_t = struct nvtxStringRegistration_st*;

enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
};
enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3
};
union nvtxMessageValue_t {
    const char* ascii;
    const wchar_t* unicode;
    nvtxStringHandle_t registered;
};
struct nvtxEventAttributes_t {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
};

namespace ringside::nvtx {

using Function = void (*)();
using FunctionTable = Function**;

// Numbers of the protocol's tables and of the functions in them that this client can call.
enum Module : int { kCore = 1, kCore2 = 5 };
enum Core : unsigned { kMarkA = 2, kRangePushA = 9, kRangePop = 11, kCoreSize = 16 };
enum Core2 : unsigned {
    kDomainMarkEx = 1,
    kDomainRangeStartEx = 2,
    kDomainRangeEnd = 3,
    kDomainRangePushEx = 4,
    kDomainRangePop = 5,
    kDomainRegisterStringA = 10,
    kDomainCreateA = 12,
    kDomainDestroy = 14,
    kCore2Size = 16
};

struct CallbackTable {
    size_t size;
    int (*getModuleFunctionTable)(int module, FunctionTable* table, unsigned* count);
};
struct VersionTable {
    size_t size;
    uint32_t version;
    uint32_t reserved;
    void (*setInjectionVersion)(uint32_t version);
};

inline Function coreFunctions[kCoreSize];
inline Function core2Functions[kCore2Size];
// The tool gets pointers to the slots and writes its functions into them.
inline Function* coreSlots[kCoreSize];
inline Function* core2Slots[kCore2Size];

inline int functionTable(int module, FunctionTable* table, unsigned* count)
{
    if (module != kCore && module != kCore2)
        return 0;
    Function** slots = module == kCore ? coreSlots : core2Slots;
    Function* functions = module == kCore ? coreFunctions : core2Functions;
    const unsigned size = module == kCore ? unsigned{kCoreSize} : unsigned{kCore2Size};
    for (unsigned i = 0; i < size; ++i)
        slots[i] = &functions[i];
    *table = slots;
    if (count != nullptr)
        *count = size;
    return 1;
}

inline const void* exportTable(uint32_t id)
{
    static const CallbackTable callbacks{sizeof(CallbackTable), functionTable};
    static const VersionTable version{sizeof(VersionTable), NVTX_VERSION, 0, [](uint32_t) {}};
    return id == 1   ? static_cast<const void*>(&callbacks)
           : id == 3 ? static_cast<const void*>(&version)
                     : nullptr;
}

inline void attachTool()
{
    const char* path = std::getenv("NVTX_INJECTION64_PATH");
    if (path == nullptr || *path == '\0')
        return;
    void* library = dlopen(path, RTLD_LAZY);
    using Initialize = int (*)(const void* (*)(uint32_t));
    auto initialize = library == nullptr
                          ? nullptr
                          : reinterpret_cast<Initialize>(dlsym(library, "InitializeInjectionNvtx2"));
    if (initialize != nullptr && initialize(exportTable) != 0)
        return;
    std::fprintf(stderr,
                 "ringside nvtx: %s (NVTX_INJECTION64_PATH) takes no NVTX events; they are not recorded\n",
                 path);
    for (Function& function : coreFunctions)
        function = nullptr;
    for (Function& function : core2Functions)
        function = nullptr;
}

inline std::once_flag attached;

/// The tool's function, null without a tool or where it does not want these events.
template <class Signature>
Signature* toolFunction(const Function& slot)
{
    std::call_once(attached, attachTool);
    return reinterpret_cast<Signature*>(slot);
}

} // namespace ringside::nvtx

inline nvtxDomainHandle_t nvtxDomainCreateA(const char* name)
{
    using namespace ringside::nvtx;
    auto* call = toolFunction<nvtxDomainHandle_t(const char*)>(core2Functions[kDomainCreateA]);
    return call == nullptr ? nullptr : call(name);
}
inline void nvtxDomainDestroy(nvtxDomainHandle_t domain)
{
    using namespace ringside::nvtx;
    if (auto* call = toolFunction<void(nvtxDomainHandle_t)>(core2Functions[kDomainDestroy]))
        call(domain);
}
inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text)
{
    using namespace ringside::nvtx;
    auto* call = toolFunction<nvtxStringHandle_t(nvtxDomainHandle_t, const char*)>(
        core2Functions[kDomainRegisterStringA]);
    return call == nullptr ? nullptr : call(domain, text);
}
inline void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event)
{
    using namespace ringside::nvtx;
    if (auto* call = toolFunction<void(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>(
            core2Functions[kDomainMarkEx]))
        call(domain, event);
}
inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event)
{
    using namespace ringside::nvtx;
    auto* call = toolFunction<int(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>(
        core2Functions[kDomainRangePushEx]);
    return call == nullptr ? NVTX_NO_PUSH_POP_TRACKING : call(domain, event);
}
inline int nvtxDomainRangePop(nvtxDomainHandle_t domain)
{
    using namespace ringside::nvtx;
    auto* call = toolFunction<int(nvtxDomainHandle_t)>(core2Functions[kDomainRangePop]);
    return call == nullptr ? NVTX_NO_PUSH_POP_TRACKING : call(domain);
}
inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event)
{
    using namespace ringside::nvtx;
    auto* call = toolFunction<nvtxRangeId_t(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>(
        core2Functions[kDomainRangeStartEx]);
    return call == nullptr ? 0 : call(domain, event);
}
inline void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    using namespace ringside::nvtx;
    if (auto* call = toolFunction<void(nvtxDomainHandle_t, nvtxRangeId_t)>(core2Functions[kDomainRangeEnd]))
        call(domain, id);
}
inline void nvtxMarkA(const char* text)
{
    using namespace ringside::nvtx;
    if (auto* call = toolFunction<void(const char*)>(coreFunctions[kMarkA]))
        call(text);
}
inline int nvtxRangePushA(const char* text)
{
    using namespace ringside::nvtx;
    auto* call = toolFunction<int(const char*)>(coreFunctions[kRangePushA]);
    return call == nullptr ? NVTX_NO_PUSH_POP_TRACKING : call(text);
}
inline int nvtxRangePop()
{
    using namespace ringside::nvtx;
    auto* call = toolFunction<int()>(coreFunctions[kRangePop]);
    return call == nullptr ? NVTX_NO_PUSH_POP_TRACKING : call();
}
