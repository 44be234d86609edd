// SPDX-License-Identifier: Apache-2.0
#include "profiler/announce.h"

#include "record/own_variables.h"

#include <dlfcn.h>
#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace ringside::collector::profiler {
namespace {

std::string_view variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

bool isNone(std::string_view setting)
{
    return strcasecmp(std::string(setting).c_str(), "none") == 0;
}

std::string ownPath()
{
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(&ownPath), &info) != 0 ? info.dli_fname : "";
}

/// Returns whether the setting names this library, in any of the forms that a parent process may have
/// written.
bool isOurs(const std::string& setting, const std::string& own)
{
    char theirs[4096];
    char ours[4096];
    return !setting.empty() && (setting == announcement(own) ||
                                (realpath(setting.c_str(), theirs) != nullptr &&
                                 realpath(own.c_str(), ours) != nullptr && std::strcmp(theirs, ours) == 0));
}

void restore()
{
    if (const std::string chained(variable(kChainedVariable)); chained.empty()) {
        changeVariable(kPluginVariable, nullptr);
    } else {
        changeVariable(kPluginVariable, chained.c_str());
    }
    changeVariable(kChainedVariable, nullptr);
}

__attribute__((constructor)) void announce()
{
    const std::string own = ownPath();
    const std::string setting(variable(kPluginVariable));
    const bool ours = isOurs(setting, own);
    if (variable("RINGSIDE_DIR").empty() || variable("RINGSIDE_PROFILE") == "off") {
        if (ours) { // set by a recorded parent process
            restore();
        }
        return;
    }
    if (own.empty() || ours || isNone(setting)) {
        return;
    }
    if (setting.empty()) {
        changeVariable(kChainedVariable, nullptr);
    } else {
        changeVariable(kChainedVariable, setting.c_str());
    }
    changeVariable(kPluginVariable, announcement(own).c_str());
}

} // namespace

std::string announcement(const std::string& ownPath)
{
    // the buffer of 2.28 holds 255 bytes including the terminator, later ones one more
    constexpr std::size_t kLongest = 254;
    return ownPath.size() <= kLongest ? ownPath : "STATIC_PLUGIN";
}

std::string whyNotAnnounced()
{
    const std::string setting(variable(kPluginVariable));
    if (isNone(setting)) {
        return "NCCL_PROFILER_PLUGIN=none: no plugin is wanted";
    }
    return isOurs(setting, ownPath()) ? "" : "the program has set NCCL_PROFILER_PLUGIN to " + setting;
}

} // namespace ringside::collector::profiler
