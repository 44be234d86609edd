// SPDX-License-Identifier: Apache-2.0
#include "trace/read/process_state.h"

#include "host/process.h"

#include <ringside/trace/ring.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

namespace ringside::trace {
namespace {

bool hasEnded(const host::ProcessStat& stat)
{
    return stat.state == 'Z' || stat.state == 'X';
}

/// Returns the pid as the process sees it. In a pid namespace of its own (a container), it differs from the
/// pid as this program sees it.
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

/// Examines a link that only those who may read the exit status can read; for others, the kernel reports
/// status 0.
bool isOursToAsk(std::uint32_t pid)
{
    std::error_code refused;
    return !std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/ns/user", refused).empty();
}

std::optional<std::string> findHere(std::uint32_t pid, std::uint64_t startTicks)
{
    const std::string id = std::to_string(pid);
    const auto isThat = [startTicks](const std::string& candidate) {
        const auto stat = host::processStat(candidate);
        return stat && stat->startTicks == startTicks && !hasEnded(*stat);
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
    const auto stat = host::processStat(std::to_string(pidHere));
    const bool ended = stat && stat->state == 'Z' && stat->startTicks == startTicks;
    return ended && (stat->waitStatus != 0 || isOursToAsk(pidHere)) ? stat->waitStatus : std::nullopt;
}

ProcessState stateOf(std::uint32_t pidHere)
{
    const auto stat = host::processStat(std::to_string(pidHere));
    if (!stat || hasEnded(*stat)) {
        return ProcessState::Gone;
    }
    return stat->state == 'T' || stat->state == 't' ? ProcessState::Stopped : ProcessState::Running;
}

} // namespace ringside::trace
