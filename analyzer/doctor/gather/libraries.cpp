// SPDX-License-Identifier: Apache-2.0
// Versions of the driver, and of the CUDA runtime, cuDNN and NCCL that a program started from here would
// load. The libraries are loaded in a child process, because third-party code may crash or hang.
#include "doctor/child.h"
#include "doctor/gatherer.h"

#include <ringside/trace/environment.h>
#include <ringside/trace/library_names.h>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <set>
#include <sstream>

namespace ringside::doctor::gatherer_libraries {
namespace {

struct Library {
    const char* fact;
    std::array<const char*, 3> files; ///< the newest first
    const char* function;
    bool returnsIt; ///< the function returns the version (cuDNN); otherwise it stores it through its argument
};
constexpr Library kLibraries[] = {
    {"nccl", {"libnccl.so.2", nullptr, nullptr}, "ncclGetVersion", false},
    {"cuda_runtime",
     {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"},
     "cudaRuntimeGetVersion",
     false},
    {"cudnn", {"libcudnn.so.9", "libcudnn.so.8", nullptr}, "cudnnGetVersion", true},
};

long long versionOf(void* function, bool returnsIt)
{
    if (returnsIt) {
        return static_cast<long long>(reinterpret_cast<std::size_t (*)()>(function)());
    }
    int version = 0;
    return reinterpret_cast<int (*)(int*)>(function)(&version) == 0 ? version : 0;
}

/// Runs in the child: writes "path version" of the first of the library's files that can be loaded.
void writeVersion(const Library& library, int out)
{
    for (const char* const file : library.files) {
        void* const handle = file != nullptr ? dlopen(file, RTLD_LAZY | RTLD_LOCAL) : nullptr;
        void* const function = handle != nullptr ? dlsym(handle, library.function) : nullptr;
        Dl_info where{};
        if (function != nullptr && dladdr(function, &where) != 0) {
            dprintf(out, "%lld %s", versionOf(function, library.returnsIt), where.dli_fname);
            return;
        }
    }
}

/// Returns the files of NCCL's plugins that the environment or their usual names lead to.
void writePlugins(const Facts& facts, int out)
{
    for (const auto& [variable, usual] :
         {std::pair("NCCL_NET_PLUGIN", "libnccl-net"), std::pair("NCCL_TUNER_PLUGIN", "libnccl-tuner"),
          std::pair("NCCL_PROFILER_PLUGIN", "libnccl-profiler")}) {
        const std::string named(facts.text(fmt::format("environment.{}", variable)));
        for (const std::string& file :
             {named, fmt::format("{}-{}.so", usual, named), fmt::format("{}.so", usual)}) {
            void* const handle = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
            link_map* where = nullptr;
            if (handle != nullptr && dlinfo(handle, RTLD_DI_LINKMAP, &where) == 0) {
                dprintf(out, "%s\n", where->l_name);
                break;
            }
        }
    }
}

/// Removes from `names` those that a plugin contains: it reads them.
void removePluginNames(const Facts& facts, std::set<std::string>& names)
{
    std::istringstream files(
        ringside::doctor::outputOfChild([&facts](int out) { writePlugins(facts, out); }));
    for (std::string file; !names.empty() && std::getline(files, file);) {
        if (auto missing = ringside::trace::namesMissingIn(file, names)) {
            names = std::move(*missing);
        }
    }
}

/// Finds variables that NCCL would read but that neither its file nor those of its plugins contain.
void unknownVariables(const std::string& library, Facts& facts)
{
    std::set<std::string> names;
    for (const char* const prefix : {"environment.", "nccl.conf."}) {
        for (const auto& [fact, value] : facts.all()) {
            if (fact.starts_with(prefix) &&
                ringside::trace::belongsToNccl(fact.substr(std::string_view(prefix).size()))) {
                names.insert(fact.substr(std::string_view(prefix).size()));
            }
        }
    }
    if (auto missing = ringside::trace::namesMissingIn(library, names)) {
        removePluginNames(facts, *missing);
        facts.set("nccl.unknown_variables", fmt::format("{}", fmt::join(*missing, ",")));
    }
}

/// Finds "535.104.05" in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 ..." and
/// "560.35.03" in "... UNIX Open Kernel Module for x86_64  560.35.03  Release Build ...".
std::string driverVersion(const std::string& text)
{
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const bool digits = word.find_first_not_of("0123456789.") == std::string::npos;
        if (digits && word.find('.') != std::string::npos) {
            return word;
        }
    }
    return {};
}

void gather(const Root& root, Facts& facts)
{
    if (const std::string driver = driverVersion(root.line("/proc/driver/nvidia/version").value_or(""));
        !driver.empty()) {
        facts.set("library.nvidia_driver", driver);
    }
    for (const Library& library : kLibraries) {
        const std::string answer =
            root.live() ? ringside::doctor::outputOfChild([&library](int out) { writeVersion(library, out); })
                        : std::string();
        const std::size_t blank = answer.find(' ');
        if (blank == std::string::npos || answer.starts_with("0 ")) {
            continue;
        }
        const std::string name = std::string("library.") + library.fact;
        facts.set(name, answer.substr(0, blank));
        facts.set(name + ".path", answer.substr(blank + 1));
        if (std::string_view(library.fact) == "nccl") {
            unknownVariables(answer.substr(blank + 1), facts);
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_libraries
