// SPDX-License-Identifier: Apache-2.0
#include "trace/read/process_state.h"

#include <ringside/trace/ring.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace ringside::trace {
namespace {

struct Stat {
    std::string state;
    std::string startTicks;
};

/// Of /proc/PID/stat: fields come after the command's name, which may hold anything.
std::optional<Stat> statOf(const std::string& pid)
{
    std::ifstream file("/proc/" + pid + "/stat");
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t name = text.rfind(')');
    if (name == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream fields(text.substr(name + 1));
    Stat stat;
    fields >> stat.state;
    constexpr int kBetween = 18; // the state is field 3, the start time field 22 of proc(5)
    std::string skipped;
    for (int i = 0; i < kBetween; ++i) {
        fields >> skipped;
    }
    fields >> stat.startTicks;
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

struct RingOwner {
    std::uint32_t pid = 0;
    std::uint64_t startTicks = 0;
};

std::optional<RingOwner> ownerOf(const std::filesystem::path& ring)
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

} // namespace

std::optional<std::uint32_t> pidHere(std::uint32_t pid, std::uint64_t startTicks)
{
    const auto found = findHere(pid, startTicks);
    return found ? std::optional(static_cast<std::uint32_t>(std::stoul(*found))) : std::nullopt;
}

std::optional<std::uint32_t> ringOwnerPid(const std::filesystem::path& ring)
{
    const auto owner = ownerOf(ring);
    return owner ? pidHere(owner->pid, owner->startTicks) : std::nullopt;
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
