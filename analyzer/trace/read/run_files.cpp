// SPDX-License-Identifier: Apache-2.0
#include "trace/read/run_files.h"

#include "trace/read/system_error.h"

#include <ringside/error.h>

#include <algorithm>
#include <string_view>

namespace ringside::trace {
namespace {

/// Adds quotes to a name that would not be visible in a sentence.
std::string shown(const std::filesystem::path& path)
{
    return path.empty() ? "''" : path.string();
}

} // namespace

void checkPresent(const std::filesystem::path& path)
{
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found &&
        error != std::errc::not_a_directory) { // the part before the last / is a file
        throw Error(ErrorCode::Unusable, shown(path) + " does not exist",
                    "Name a run directory that `ringside record` made, or a trace of another tool.");
    }
    if (error) {
        throw systemError("cannot open " + shown(path), error.value());
    }
}

std::vector<std::filesystem::path> databasesIn(const std::filesystem::path& directory)
{
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
        std::error_code ignored;
        if (entry.path().extension() == ".db" && entry.is_regular_file(ignored)) {
            files.push_back(entry.path());
        }
    }
    if (error) {
        throw systemError("cannot list " + directory.string(), error.value());
    }
    const auto isSummary = [](const std::filesystem::path& file) {
        return file.filename().string().ends_with(kSummaryEnding);
    };
    if (!std::ranges::all_of(files, isSummary)) {
        std::erase_if(files, isSummary);
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::filesystem::path> traceFilesOf(const std::filesystem::path& run)
{
    checkPresent(run);
    if (!std::filesystem::is_directory(run)) {
        return {run};
    }
    std::vector<std::filesystem::path> files = databasesIn(run);
    if (files.empty()) {
        throw Error(
            ErrorCode::Unusable, run.string() + " contains no trace (no *.db)",
            "Was the job recorded? A process leaves a trace from its first CUDA, NCCL or mark call on.");
    }
    return files;
}

std::string sqliteUri(const std::filesystem::path& file, const std::string& query)
{
    static constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string()) {
        if (c == '?' || c == '#' || c == '%') {
            const auto byte = static_cast<unsigned char>(c);
            uri += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
        } else {
            uri += c;
        }
    }
    return uri + "?" + query;
}

} // namespace ringside::trace
