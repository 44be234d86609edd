// SPDX-License-Identifier: Apache-2.0
#include "cli/process_environment.h"

#include "values/parse_number.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ringside::cli {

std::string procFile(pid_t pid, std::string_view name)
{
    std::ifstream file(fmt::format("/proc/{}/{}", pid, name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::optional<std::string> valueIn(const std::string& environment, std::string_view name)
{
    const std::string begin = fmt::format("{}=", name);
    std::size_t at = environment.starts_with(begin) ? 0 : environment.find('\0' + begin);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    at += at == 0 ? begin.size() : begin.size() + 1;
    return environment.substr(at, environment.find('\0', at) - at);
}

std::vector<pid_t> allProcesses()
{
    std::vector<pid_t> processes;
    std::error_code error;
    for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
         entry.increment(error)) {
        if (const auto pid = values::parseNumber<pid_t>(entry->path().filename().string())) {
            processes.push_back(*pid);
        }
    }
    return processes;
}

} // namespace ringside::cli
