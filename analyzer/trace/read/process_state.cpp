// SPDX-License-Identifier: Apache-2.0
#include "trace/read/process_state.h"

#include "trace/write/small_file.h"

#include <ringside/trace/ring.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace ringside::trace {
namespace {

struct Stat {
    std::string state;
    std::string startTicks;
    int waitStatus = 0;
};

void skip(std::istream& fields, int count)
{
    std::string skipped;
    for (int i = 0; i < count; ++i) {
        fields >> skipped;
    }
}

/// Of /proc/PID/stat: fields come after the command's name, which may hold anything.
std::optional<Stat> statOf(const std::string& pid)
{
    // Not by a stream buffer: that throws where the process ends between opening and reading.
    const std::string text = readSmallFile("/proc/" + pid + "/stat", From::Anybody);
    const std::size_t name = text.rfind(')');
    if (name == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream fields(text.substr(name + 1));
    Stat stat;
    fields >> stat.state;
    // The state is field 3 of proc(5), the start time 22, and how it ended 52.
    skip(fields, 18);
    fields >> stat.startTicks;
    skip(fields, 29);
    fields >> stat.waitStatus;
    return fields ? std::optional(stat) : std::nullopt;
}

/// What a process calls itself, which in a pid namespace of its own (a container) is not what we call it.
std::string ownPid(const std::string& pid)
{
    std::ifstream file("/proc/" + pid + "/status");
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with("NSpid:")) {
            return line.substr(line.find_last_of(" \t") + 1);
        }
    }
    return {};
}

/// By a link that the kernel shows to those alone whom it tells how a process ended; to others it says 0.
bool isOursToAsk(std::uint32_t pid)
{
    std::error_code refused;
    return !std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/ns/user", refused).empty();
}

std::optional<std::string> findHere(std::uint32_t pid, std::uint64_t startTicks)
{
    const std::string id = std::to_string(pid);
    const std::string ticks = std::to_string(startTicks);
    const auto isThat = [&ticks](const std::string& candidate) {
        const auto stat = statOf(candidate);
        return stat && stat->startTicks == ticks && stat->state != "Z" && stat->state != "X";
    };
    if (isThat(id)) {
        return id;
    }
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string candidate = entry.path().filename().string();
        const bool isProcess = candidate.find_first_not_of("0123456789") == std::string::npos;
        if (isProcess && candidate != id && isThat(candidate) && ownPid(candidate) == id) {
            return candidate;
        }
    }
    return std::nullopt;
}

} // namespace

std::uint64_t ownStartTicks()
{
    const auto stat = statOf("self");
    return stat ? std::strtoull(stat->startTicks.c_str(), nullptr, 10) : 0;
}

std::optional<RingOwner> ringOwner(const std::filesystem::path& ring)
{
    std::array<char, sizeof(RingHeader)> bytes{};
    std::ifstream file(ring, std::ios::binary);
    if (!file.read(bytes.data(), bytes.size())) {
        return std::nullopt;
    }
    RingOwner owner;
    std::memcpy(&owner.pid, bytes.data() + offsetof(RingHeader, pid), sizeof owner.pid);
    std::memcpy(&owner.startTicks, bytes.data() + offsetof(RingHeader, processStartTicks),
                sizeof owner.startTicks);
    return owner;
}

std::optional<std::uint32_t> pidHere(std::uint32_t pid, std::uint64_t startTicks)
{
    const auto found = findHere(pid, startTicks);
    return found ? std::optional(static_cast<std::uint32_t>(std::stoul(*found))) : std::nullopt;
}

std::optional<std::uint32_t> ringOwnerPid(const std::filesystem::path& ring)
{
    const auto owner = ringOwner(ring);
    return owner ? pidHere(owner->pid, owner->startTicks) : std::nullopt;
}

std::optional<int> uncollectedStatus(std::uint32_t pidHere, std::uint64_t startTicks)
{
    const auto stat = statOf(std::to_string(pidHere));
    const bool ended = stat && stat->state == "Z" && stat->startTicks == std::to_string(startTicks);
    return ended && (stat->waitStatus != 0 || isOursToAsk(pidHere)) ? std::optional(stat->waitStatus)
                                                                    : std::nullopt;
}

ProcessState stateOf(std::uint32_t pidHere)
{
    const auto stat = statOf(std::to_string(pidHere));
    if (!stat || stat->state == "Z" || stat->state == "X") {
        return ProcessState::Gone;
    }
    return stat->state == "T" || stat->state == "t" ? ProcessState::Stopped : ProcessState::Running;
}

} // namespace ringside::trace
