// SPDX-License-Identifier: Apache-2.0
#include "device/cupti_library.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <string_view>

namespace ringside::collector {

bool CuptiLibrary::load()
{
    constexpr std::array kNames{"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"};
    void* library = nullptr;
    for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW}) {
        for (std::size_t index = 0; index < kNames.size() && library == nullptr; ++index) {
            library = dlopen(kNames[index], flags);
        }
    }
    if (library == nullptr) {
        m_reason =
            "libcupti was not found: put its folder into LD_LIBRARY_PATH (extras/CUPTI/lib64 of the toolkit)";
        return false;
    }
    bool complete = true;
// NOLINTBEGIN(bugprone-macro-parentheses): the member is assigned to
#define RS_CUPTI(member, name, parameters)                                                                   \
    member = reinterpret_cast<decltype(member)>(dlsym(library, #name));                                      \
    if (member == nullptr) {                                                                                 \
        m_reason = "libcupti has no " #name;                                                                 \
        complete = false;                                                                                    \
    }
    RINGSIDE_CUPTI_FUNCTIONS(RS_CUPTI)
#undef RS_CUPTI
#define RS_CUPTI(member, name, parameters) member = reinterpret_cast<decltype(member)>(dlsym(library, #name));
    RINGSIDE_CUPTI_NEWER_FUNCTIONS(RS_CUPTI)
#undef RS_CUPTI
    // NOLINTEND(bugprone-macro-parentheses)
    return complete;
}

bool isCudaLoaded()
{
    // dl_iterate_phdr, since dlopen waits for whichever library is just being initialised. A program that has
    // the runtime in itself loads the driver when it first uses it.
    return dl_iterate_phdr(
               [](dl_phdr_info* info, std::size_t, void*) {
                   const std::string_view path(info->dlpi_name);
                   const std::string_view name = path.substr(path.rfind('/') + 1);
                   return name.starts_with("libcudart.so") || name.starts_with("libcuda.so") ? 1 : 0;
               },
               nullptr) != 0;
}

const char* cuptiFailure(cupti::Result result)
{
    switch (result) {
    case cupti::kMultipleSubscribers:
        return "another tool holds CUPTI (the PyTorch profiler, Nsight Systems or Compute)";
    case 15:
        return "CUPTI cannot start: the driver is too old, or there is none";
    case 33:
    case 40:
        return "CUPTI does not work on this virtual GPU";
    case 35:
        return "CUPTI is refused for lack of privileges: see ERR_NVGPUCTRPERM in NVIDIA's documentation";
    case 41:
        return "CUPTI does not work under confidential computing";
    case 42:
        return "CUPTI does not work on this mining GPU";
    case 43:
        return "CUPTI does not work in this MIG configuration";
    case 45:
        return "CUPTI does not work in this WSL configuration";
    case 999:
        return "CUPTI reports an unknown error: there is no driver";
    default:
        return "CUPTI refused";
    }
}

} // namespace ringside::collector
