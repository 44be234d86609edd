// SPDX-License-Identifier: Apache-2.0
#include "trace/read/run_files.h"

#include "trace/read/system_error.h"

#include <ringside/error.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ringside::trace {
namespace {

/// Adds quotes to a name that would not be visible in a sentence.
std::string shown(const std::filesystem::path& path)
{
    return path.empty() ? "''" : path.string();
}

bool isSummary(const std::filesystem::path& file)
{
    return file.filename().string().ends_with(kSummaryEnding);
}

/// Returns whether a text is a process id, and perhaps the number of a process that got it again.
bool isPid(std::string_view text)
{
    const std::size_t dash = text.find('-');
    const auto isNumber = [](std::string_view digits) {
        return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return isNumber(text.substr(0, dash)) &&
           (dash == std::string_view::npos || isNumber(text.substr(dash + 1)));
}

/// Returns whether a file is HOST-PID.db, of any host if `host` is empty.
bool isProcessFile(const std::filesystem::path& file, std::string_view host)
{
    const std::string stem = file.stem().string();
    for (std::size_t dash = stem.find('-'); dash != std::string::npos; dash = stem.find('-', dash + 1)) {
        if ((host.empty() || host == std::string_view(stem).substr(0, dash)) &&
            isPid(std::string_view(stem).substr(dash + 1))) {
            return true;
        }
    }
    return false;
}

/// Leaves out summaries of processes that other files hold, too: of hosts that have process files there. Any
/// other trace may be a merged one, of all hosts.
void dropRepeated(std::vector<std::filesystem::path>& files)
{
    std::vector<std::filesystem::path> traces;
    std::ranges::copy_if(files, std::back_inserter(traces),
                         [](const auto& file) { return !isSummary(file); });
    const bool merged =
        !std::ranges::all_of(traces, [](const auto& file) { return isProcessFile(file, {}); });
    std::erase_if(files, [&](const std::filesystem::path& file) {
        const std::string name = file.filename().string();
        const std::string_view host = std::string_view(name).substr(0, name.size() - kSummaryEnding.size());
        return isSummary(file) && (merged || std::ranges::any_of(traces, [&](const auto& trace) {
                                       return isProcessFile(trace, host);
                                   }));
    });
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
    dropRepeated(files);
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
