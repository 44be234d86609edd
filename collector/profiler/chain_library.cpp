// SPDX-License-Identifier: Apache-2.0
#include "profiler/chain_library.h"

#include <dlfcn.h>
#include <strings.h>

#include <optional>
#include <vector>

namespace ringside::collector::profiler {
namespace {

using Name = std::optional<std::string>; ///< null for the program itself

std::vector<Name> candidates(const std::string& setting)
{
    if (setting.empty()) {
        return {"libnccl-profiler.so"};
    }
    if (strncasecmp(setting.c_str(), "STATIC_PLUGIN", setting.size()) == 0) {
        return {std::nullopt};
    }
    constexpr std::size_t kLongest = 254; // NCCL reads no more
    std::vector<Name> names{setting.substr(0, kLongest)};
    const bool isLibrary = setting.starts_with("lib") && setting.ends_with(".so");
    if (setting.find('/') == std::string::npos && !isLibrary) {
        names.push_back(("libnccl-profiler-" + setting + ".so").substr(0, kLongest));
    }
    return names;
}

/// Returns the path of the file that contains an address.
std::string fileOf(const void* address)
{
    Dl_info info{};
    return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/// Returns the newest table of a version up to `newest` that is not the collector's.
void findTable(void* library, unsigned newest, ChainLibrary& found)
{
    constexpr unsigned kOldest = 3;
    const std::string own = fileOf(reinterpret_cast<const void*>(&findTable));
    for (unsigned version = newest; version >= kOldest && found.plugin == nullptr; --version) {
        const void* const table = dlsym(library, ("ncclProfiler_v" + std::to_string(version)).c_str());
        if (table != nullptr && fileOf(table) != own) {
            found.plugin = table;
            found.version = version;
        }
    }
}

} // namespace

ChainLibrary findChained(const std::string& setting, unsigned newest)
{
    ChainLibrary found;
    std::string failure;
    for (const Name& name : candidates(setting)) {
        void* const library = dlopen(name ? name->c_str() : nullptr, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            const char* const error = dlerror();
            failure += (failure.empty() ? "" : "; ") + std::string(error != nullptr ? error : "unknown");
            continue;
        }
        findTable(library, newest, found);
        found.name = name.value_or("STATIC_PLUGIN");
        if (found.plugin == nullptr) {
            dlclose(library);
            failure = "it speaks none of the versions 3 to " + std::to_string(newest);
        }
        break;
    }
    if (found.plugin == nullptr && !setting.empty()) {
        found.reason = "the profiler plugin " + setting + " could not be loaded: " + failure;
    }
    return found;
}

} // namespace ringside::collector::profiler
