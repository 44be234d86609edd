// SPDX-License-Identifier: Apache-2.0
#include "cli/tool_files.h"

#include "cli/text_file.h"
#include "tool_output/text.h"
#include "trace/read/system_error.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace ringside::cli {
namespace {

/// Returns when the file was last written, in ns since 1970.
std::int64_t modifiedNsOf(const std::string& path)
{
    constexpr std::int64_t kNsPerS = 1'000'000'000;
    constexpr std::int64_t kMostS = 9'000'000'000; // in the year 2255; a file's time is not trusted either
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        throw trace::systemError("cannot read " + path, errno);
    }
    const std::int64_t seconds = std::clamp<std::int64_t>(status.st_mtim.tv_sec, 0, kMostS);
    return seconds * kNsPerS + status.st_mtim.tv_nsec;
}

tool_output::File toolFileOf(const std::string& argument)
{
    tool_output::File file;
    file.path = argument;
    std::error_code error;
    const std::size_t mark = argument.find('=');
    if (mark != std::string::npos && !std::filesystem::exists(argument, error)) {
        file.path = argument.substr(mark + 1);
        const std::string name = argument.substr(0, mark);
        const std::size_t slash = name.find('/');
        file.host = slash == std::string::npos ? "" : name.substr(0, slash);
        file.port = slash == std::string::npos ? name : name.substr(slash + 1);
    }
    if (file.port.empty()) {
        file.port = tool_output::printable(std::filesystem::path(file.path).stem().string());
    }
    file.text = readText(file.path);
    file.modifiedNs = modifiedNsOf(file.path);
    return file;
}

} // namespace

std::vector<tool_output::File> readToolFiles(const std::vector<std::string>& arguments)
{
    std::vector<tool_output::File> files;
    files.reserve(arguments.size());
    for (const std::string& argument : arguments) {
        files.push_back(toolFileOf(argument));
    }
    return files;
}

} // namespace ringside::cli
