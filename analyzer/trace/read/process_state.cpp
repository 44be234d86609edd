// SPDX-License-Identifier: Apache-2.0
#include "trace/read/process_state.h"

#include <ringside/trace/ring.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace ringside::trace {
namespace {

/// The fields of /proc/PID/stat after the command's name, which may hold anything.
std::optional<std::string> statFields(std::uint32_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t end = text.rfind(')');
    return end != std::string::npos ? std::optional(text.substr(end + 1)) : std::nullopt;
}

} // namespace

ProcessState processState(std::uint32_t pid, std::uint64_t startTicks)
{
    const auto fields = statFields(pid);
    if (!fields) {
        return ProcessState::Gone;
    }
    constexpr int kStartTime = 20; // words from the state (field 3) to the start time (field 22) of proc(5)
    std::size_t at = 0;
    std::string state;
    std::string word;
    for (int i = 0; i < kStartTime && at != std::string::npos; ++i) {
        at = fields->find_first_not_of(' ', at);
        const std::size_t end = at != std::string::npos ? fields->find(' ', at) : at;
        word = at != std::string::npos ? fields->substr(at, end - at) : std::string();
        state = i == 0 ? word : state;
        at = end;
    }
    if (state == "Z" || state == "X" || word != std::to_string(startTicks)) {
        return ProcessState::Gone;
    }
    return state == "T" || state == "t" ? ProcessState::Stopped : ProcessState::Running;
}

std::optional<ProcessState> ringOwnerState(const std::filesystem::path& ring)
{
    std::array<char, sizeof(RingHeader)> bytes{};
    std::ifstream file(ring, std::ios::binary);
    if (!file.read(bytes.data(), bytes.size())) {
        return std::nullopt;
    }
    std::uint32_t pid = 0;
    std::uint64_t startTicks = 0;
    std::memcpy(&pid, bytes.data() + offsetof(RingHeader, pid), sizeof pid);
    std::memcpy(&startTicks, bytes.data() + offsetof(RingHeader, processStartTicks), sizeof startTicks);
    return processState(pid, startTicks);
}

} // namespace ringside::trace
