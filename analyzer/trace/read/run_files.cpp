// SPDX-License-Identifier: Apache-2.0
#include "trace/read/run_files.h"

#include <ringside/error.h>

#include <algorithm>
#include <string_view>

namespace ringside::trace {

std::vector<std::filesystem::path> traceFilesOf(const std::filesystem::path& run)
{
    if (!std::filesystem::is_directory(run)) {
        return {run};
    }
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(run, error)) {
        if (entry.path().extension() == ".db") {
            files.push_back(entry.path());
        }
    }
    if (error) {
        throw Error(ErrorCode::Io, "cannot list " + run.string() + ": " + error.message());
    }
    if (files.empty()) {
        throw Error(
            ErrorCode::Unusable, run.string() + " holds no trace (no *.db)",
            "Was the job recorded? A process leaves a trace from its first CUDA, NCCL or mark call on.");
    }
    std::sort(files.begin(), files.end());
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
