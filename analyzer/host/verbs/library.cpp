// SPDX-License-Identifier: Apache-2.0
#include "host/verbs/library.h"

#include <dlfcn.h>

#include <cstring>

#pragma weak                                                                                                 \
    dlvsym // the collector is also preloaded into programs of musl, which lacks it, and does nothing there

namespace ringside::host::verbs {
namespace {

/// Returns the newer function of the context's driver, which takes the size of the struct, or null.
QueryPort newerQueryPort(const Context* context)
{
    const auto* const place = reinterpret_cast<const std::byte*>(context);
    std::size_t size = 0;
    QueryPort function = nullptr;
    if (context->extended == kExtended) {
        std::memcpy(&size, place - kSizeBefore, sizeof size);
        if (size >= kQueryPortBefore + sizeof *context) {
            std::memcpy(&function, place - kQueryPortBefore, sizeof function);
        }
    }
    return function;
}

} // namespace

bool Library::load()
{
    constexpr const char* kName = "libibverbs.so.1";
    void* library = dlopen(kName, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) {
        library = dlopen(kName, RTLD_NOW);
    }
    if (library == nullptr) {
        reason = "libibverbs.so.1 was not found";
        return false;
    }
// NOLINTBEGIN(bugprone-macro-parentheses): the member is assigned to
#define RS_VERBS(member, name, version, result, parameters)                                                  \
    member = reinterpret_cast<result(*) parameters>(dlvsym(library, #name, version));
    RINGSIDE_VERBS_FUNCTIONS(RS_VERBS)
#undef RS_VERBS
    // NOLINTEND(bugprone-macro-parentheses)
    for (const bool there :
         {deviceList != nullptr, freeDeviceList != nullptr, deviceName != nullptr, openDevice != nullptr,
          closeDevice != nullptr, queryPortOld != nullptr, getEvent != nullptr, acknowledge != nullptr}) {
        if (!there) {
            reason = "libibverbs.so.1 lacks functions of its version IBVERBS_1.1";
            return false;
        }
    }
    reason.clear();
    return true;
}

bool Library::canWrite() const
{
    return queryGid != nullptr && allocateDomain != nullptr && freeDomain != nullptr &&
           registerMemory != nullptr && freeMemory != nullptr && createQueue != nullptr &&
           freeQueue != nullptr && createPair != nullptr && freePair != nullptr && modifyPair != nullptr;
}

int Library::queryPort(Context* context, std::uint8_t port, PortAttributes& attributes) const
{
    attributes = {};
    if (const QueryPort newer = newerQueryPort(context); newer != nullptr) {
        return newer(context, port, &attributes, sizeof attributes);
    }
    return queryPortOld(context, port, &attributes);
}

} // namespace ringside::host::verbs
