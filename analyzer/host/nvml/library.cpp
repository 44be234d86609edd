// SPDX-License-Identifier: Apache-2.0
#include "host/nvml/library.h"

#include <dlfcn.h>

namespace ringside::host::nvml {
namespace {

void* find(void* library, const char* name, const char* older)
{
    void* const found = dlsym(library, name);
    return found != nullptr ? found : dlsym(library, older);
}

} // namespace

bool Library::load()
{
    constexpr const char* kName = "libnvidia-ml.so.1";
    void* library = dlopen(kName, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) {
        library = dlopen(kName, RTLD_NOW);
    }
    if (library == nullptr) {
        reason = "libnvidia-ml.so.1 was not found: it comes with NVIDIA's driver";
        return false;
    }
// NOLINTBEGIN(bugprone-macro-parentheses): the member is assigned to
#define RS_NVML(member, name, older, parameters)                                                             \
    member = reinterpret_cast<Result(*) parameters>(find(library, #name, #older));
    RINGSIDE_NVML_FUNCTIONS(RS_NVML)
#undef RS_NVML
    // NOLINTEND(bugprone-macro-parentheses)
    errorString = reinterpret_cast<const char* (*)(Result)>(dlsym(library, "nvmlErrorString"));
    if (init == nullptr || deviceByBusId == nullptr) {
        reason = "libnvidia-ml.so.1 lacks nvmlInit or nvmlDeviceGetHandleByPciBusId";
        return false;
    }
    return true;
}

std::string Library::text(Result result) const
{
    const char* const known = errorString != nullptr ? errorString(result) : nullptr;
    return known != nullptr ? known : "NVML error " + std::to_string(result);
}

} // namespace ringside::host::nvml
