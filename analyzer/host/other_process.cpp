// SPDX-License-Identifier: Apache-2.0
#include "host/other_process.h"

#include "host/process.h"
#include "values/parse_number.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace ringside::host {

std::string procFile(pid_t pid, std::string_view name)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/" + std::string(name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::optional<std::string> valueIn(const std::string& environment, std::string_view name)
{
    const std::string begin = std::string(name) + "=";
    std::size_t at = environment.starts_with(begin) ? 0 : environment.find('\0' + begin);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    at += at == 0 ? begin.size() : begin.size() + 1;
    return environment.substr(at, environment.find('\0', at) - at);
}

std::optional<std::int64_t> rankIn(const std::string& environment)
{
    for (const char* const name : kRankVariables) {
        if (const auto rank = values::parseNumber<std::int64_t>(valueIn(environment, name).value_or(""))) {
            return rank;
        }
    }
    return std::nullopt;
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

std::vector<pid_t> withDescendants(const std::vector<pid_t>& roots)
{
    std::multimap<pid_t, pid_t> childrenOf;
    std::vector<pid_t> found;
    for (const pid_t pid : allProcesses()) {
        const auto stat = processStat(std::to_string(pid));
        if (!stat) {
            continue; // it has ended meanwhile
        }
        childrenOf.emplace(static_cast<pid_t>(stat->parent), pid);
        if (std::ranges::find(roots, pid) != roots.end()) {
            found.push_back(pid);
        }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto [first, last] = childrenOf.equal_range(found[i]);
        for (auto child = first; child != last; ++child) {
            if (std::ranges::find(found, child->second) == found.end()) {
                found.push_back(child->second);
            }
        }
    }
    return found;
}

} // namespace ringside::host
