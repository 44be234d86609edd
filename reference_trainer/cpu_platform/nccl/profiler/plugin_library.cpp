// SPDX-License-Identifier: Apache-2.0
#include "profiler/plugin_library.h"

#include "debug_log.h"

#include <dlfcn.h>
#include <link.h>
#include <strings.h>

#include <cstdlib>

namespace ringside::nccl::profiler {
namespace {

/// Size of the real library's buffer: a longer name is cut, and then not found.
constexpr std::size_t kLongestName = 254;

std::optional<std::string> candidate(const std::string& name)
{
    // Any prefix of the word counts, in upper or lower case: a plugin named "s" cannot be loaded by that
    // name.
    if (::strncasecmp(name.c_str(), "STATIC_PLUGIN", name.size()) == 0)
        return std::nullopt;
    return name.substr(0, kLongestName);
}

bool isLibraryName(const std::string& name)
{
    return name.starts_with("lib") && name.ends_with(".so");
}

void* openCandidate(const std::optional<std::string>& name, std::string& missing)
{
    void* const handle = ::dlopen(name ? name->c_str() : nullptr, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr || !name)
        return handle;
    const std::string error = ::dlerror();
    if (error.find(*name) != std::string::npos &&
        error.find("No such file or directory") != std::string::npos)
        missing += " " + *name;
    else
        RINGSIDE_NCCL_INFO(kLogInit, "PROFILER/Plugin: %s: %s", name->c_str(), error.c_str());
    return nullptr;
}

} // namespace

std::vector<std::optional<std::string>> candidates(const char* setting)
{
    const std::string name = setting == nullptr ? "" : setting;
    if (::strcasecmp(name.c_str(), "none") == 0)
        return {};
    if (name.empty())
        return {"libnccl-profiler.so"};
    std::vector<std::optional<std::string>> names{candidate(name)};
    if (name.find('/') == std::string::npos && !isLibraryName(name))
        names.push_back(("libnccl-profiler-" + name + ".so").substr(0, kLongestName));
    return names;
}

bool PluginLibrary::open()
{
    const char* setting = std::getenv("NCCL_PROFILER_PLUGIN");
    if (setting != nullptr)
        RINGSIDE_NCCL_INFO(kLogEnv, "NCCL_PROFILER_PLUGIN set by environment to %s", setting);
    std::string missing;
    for (const std::optional<std::string>& name : candidates(setting)) {
        m_handle = openCandidate(name, missing);
        if (m_handle != nullptr)
            return true;
    }
    if (!missing.empty())
        RINGSIDE_NCCL_INFO(kLogInit, "PROFILER/Plugin: Could not find:%s", missing.c_str());
    return false;
}

PluginLibrary::~PluginLibrary()
{
    if (m_handle != nullptr)
        ::dlclose(m_handle);
}

void* PluginLibrary::symbol(const char* name) const
{
    return ::dlsym(m_handle, name);
}

std::string PluginLibrary::path() const
{
    link_map* map = nullptr;
    return ::dlinfo(m_handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

} // namespace ringside::nccl::profiler
