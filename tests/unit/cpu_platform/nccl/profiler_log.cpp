// SPDX-License-Identifier: Apache-2.0
#include "profiler_log.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ringside::test {

ProfilerLog::ProfilerLog(const std::string& path)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        ProfilerCall call;
        words >> call.what;
        for (std::string word; words >> word;)
            call.values[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
        m_calls.push_back(std::move(call));
    }
}

std::vector<ProfilerCall> ProfilerLog::all(const std::string& what) const
{
    std::vector<ProfilerCall> found;
    for (const ProfilerCall& call : m_calls)
        if (call.what == what)
            found.push_back(call);
    return found;
}

std::vector<ProfilerCall> ProfilerLog::started(std::uint64_t type) const
{
    std::vector<ProfilerCall> found;
    for (const ProfilerCall& call : m_calls)
        if (call.what == "start" && call.number("type") == type)
            found.push_back(call);
    return found;
}

ProfilerCall ProfilerLog::theStart(std::uint64_t type) const
{
    const std::vector<ProfilerCall> found = started(type);
    if (found.size() != 1)
        throw std::runtime_error(std::to_string(found.size()) + " events of type " + std::to_string(type));
    return found.front();
}

std::size_t ProfilerLog::position(const std::string& what, std::uint64_t handle) const
{
    for (std::size_t i = 0; i < m_calls.size(); ++i)
        if (m_calls[i].what == what && m_calls[i].number("handle") == handle)
            return i;
    throw std::runtime_error("no " + what + " of event " + std::to_string(handle));
}

} // namespace ringside::test
