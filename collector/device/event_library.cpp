// SPDX-License-Identifier: Apache-2.0
#include "device/event_library.h"

#include "resolve/resolve.h"

namespace ringside::collector {

const char* EventLibrary::find()
{
// NOLINTBEGIN(bugprone-macro-parentheses): the member is assigned to
#define RS_EVENT(member, name, parameters)                                                                   \
    member = reinterpret_cast<decltype(member)>(resolveAny(Library::CudaRuntime, #name));                    \
    if (member == nullptr) {                                                                                 \
        return #name;                                                                                        \
    }
    RINGSIDE_EVENT_FUNCTIONS(RS_EVENT)
#undef RS_EVENT
    // NOLINTEND(bugprone-macro-parentheses)
    return nullptr;
}

std::string eventFailure(const char* function, int error)
{
    auto* const nameOf =
        reinterpret_cast<const char* (*)(int)>(resolveAny(Library::CudaRuntime, "cudaGetErrorName"));
    const char* const name = nameOf != nullptr ? nameOf(error) : nullptr;
    return std::string(function) + " failed: CUDA error " + std::to_string(error) +
           (name != nullptr ? std::string(" (") + name + ")" : "");
}

} // namespace ringside::collector
