// SPDX-License-Identifier: Apache-2.0
#include "cli/preload.h"

#include "host/process.h"
#include "trace/own_program.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

void setVariable(const std::string& name, const std::string& value)
{
    if (setenv(name.c_str(), value.c_str(), 1) != 0) {
        throw Error(ErrorCode::Io, fmt::format("cannot set {}", name));
    }
}

/// Creates a folder for this user only; empty: this failed.
fs::path makePrivateFolder()
{
    const char* const variable = std::getenv("TMPDIR");
    for (const std::string place : {variable != nullptr ? variable : "", "/tmp", "/dev/shm"}) {
        std::string pattern = place + "/ringside-collector-XXXXXX";
        if (!place.empty() && fitsPreload(place) && mkdtemp(pattern.data()) != nullptr) {
            return pattern;
        }
    }
    return {};
}

} // namespace

bool fitsPreload(const fs::path& path)
{
    return path.native().find_first_of(" :$") == std::string::npos;
}

CollectorPath::CollectorPath(const fs::path& collector, const fs::path& runDirectory) : m_path(collector)
{
    if (fitsPreload(collector)) {
        return;
    }
    if (!fitsPreload(runDirectory)) {
        m_folder = makePrivateFolder();
    }
    const fs::path folder = fitsPreload(runDirectory) ? runDirectory : m_folder;
    m_link = folder / fmt::format("collector-{}-{}.so", host::hostName(), getpid());
    std::error_code error;
    fs::create_symlink(collector, m_link, error);
    if (folder.empty() || error) {
        throw Error(
            ErrorCode::Io,
            fmt::format("LD_PRELOAD cannot hold the path {}: it has a space, a colon or a $, and a link "
                        "to it cannot be created",
                        collector.string()),
            "Install ringside elsewhere, or set RINGSIDE_COLLECTOR to a link without these characters.");
    }
    m_path = m_link;
}

CollectorPath::~CollectorPath()
{
    std::error_code ignored;
    if (!m_link.empty()) {
        fs::remove(m_link, ignored);
    }
    if (!m_folder.empty()) {
        fs::remove(m_folder, ignored);
    }
}

fs::path findCollector()
{
    if (const char* const given = std::getenv("RINGSIDE_COLLECTOR"); given != nullptr && *given != '\0') {
        if (!fs::exists(given)) {
            throw Error(ErrorCode::Io,
                        fmt::format("RINGSIDE_COLLECTOR names {}, which does not exist", given),
                        "Set it to the path of libringside_collector.so, or unset it.");
        }
        return fs::absolute(given);
    }
    constexpr std::string_view kName = "libringside_collector.so";
    const fs::path program = trace::ownProgram().parent_path();
    for (const char* const folder :
         {"../lib", "../lib/ringside", "../" RINGSIDE_LIBRARY_DIRECTORY "/ringside",
          "../" RINGSIDE_LIBRARY_DIRECTORY, "../" RINGSIDE_MULTIARCH_DIRECTORY, "."}) {
        const fs::path candidate = program / folder / kName;
        if (fs::exists(candidate)) {
            return fs::canonical(candidate);
        }
    }
    throw Error(ErrorCode::Io, fmt::format("{} is not next to this program ({})", kName, program.string()),
                "Set RINGSIDE_COLLECTOR to its path.");
}

std::vector<std::pair<std::string, std::string>> recordingEnvironment(const RecordSettings& settings)
{
    const std::string collector = settings.collector.string();
    const char* const preloaded = std::getenv("LD_PRELOAD");
    const bool chain = preloaded != nullptr && *preloaded != '\0';
    std::vector<std::pair<std::string, std::string>> variables{
        {"LD_PRELOAD", chain ? collector + ":" + preloaded : collector}};
    const char* const injection = std::getenv("NVTX_INJECTION64_PATH");
    if (injection != nullptr && *injection != '\0' && settings.collector != injection) {
        variables.emplace_back("RINGSIDE_CHAINED_NVTX", injection); // gets its events through the collector
    }
    variables.emplace_back("NVTX_INJECTION64_PATH", collector);
    variables.emplace_back("RINGSIDE_DIR", settings.directory.string());
    variables.insert(variables.end(), settings.variables.begin(), settings.variables.end());
    return variables;
}

void prepareEnvironment(const RecordSettings& settings)
{
    for (const auto& [name, value] : recordingEnvironment(settings)) {
        setVariable(name, value);
    }
}

} // namespace ringside::cli
