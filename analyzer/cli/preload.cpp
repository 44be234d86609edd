// SPDX-License-Identifier: Apache-2.0
#include "cli/preload.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <cstdlib>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

void setVariable(const char* name, const std::string& value)
{
    if (setenv(name, value.c_str(), 1) != 0) {
        throw Error(ErrorCode::Io, fmt::format("cannot set {}", name));
    }
}

} // namespace

fs::path findCollector()
{
    if (const char* const given = std::getenv("RINGSIDE_COLLECTOR"); given != nullptr && *given != '\0') {
        if (!fs::exists(given)) {
            throw Error(ErrorCode::Io,
                        fmt::format("RINGSIDE_COLLECTOR names {}, which does not exist", given));
        }
        return fs::absolute(given);
    }
    constexpr std::string_view kName = "libringside_collector.so";
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
    for (const char* const folder :
         {"../lib", "../lib/ringside", "../" RINGSIDE_LIBRARY_DIRECTORY "/ringside",
          "../" RINGSIDE_LIBRARY_DIRECTORY, "../lib/x86_64-linux-gnu", "."}) {
        const fs::path candidate = program / folder / kName;
        if (fs::exists(candidate)) {
            return fs::canonical(candidate);
        }
    }
    throw Error(ErrorCode::Io, fmt::format("{} is not next to this program ({})", kName, program.string()),
                "Set RINGSIDE_COLLECTOR to its path.");
}

void prepareEnvironment(const RecordSettings& settings)
{
    const char* const preloaded = std::getenv("LD_PRELOAD");
    const bool chain = preloaded != nullptr && *preloaded != '\0';
    setVariable("LD_PRELOAD",
                chain ? settings.collector.string() + ":" + preloaded : settings.collector.string());
    const char* const injection = std::getenv("NVTX_INJECTION64_PATH");
    if (injection != nullptr && *injection != '\0' && settings.collector != injection) {
        setVariable("RINGSIDE_CHAINED_NVTX", injection); // gets its events through the collector
    }
    setVariable("NVTX_INJECTION64_PATH", settings.collector.string());
    setVariable("RINGSIDE_DIR", settings.directory.string());
    for (const auto& [name, value] : settings.variables) {
        if (!value.empty()) {
            setVariable(name, value);
        }
    }
}

} // namespace ringside::cli
