// SPDX-License-Identifier: Apache-2.0
#include "trace/read/process_state.h"

#include "host/process.h"
#include "values/parse_number.h"

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

/// Examines a link that only those who may read the exit status can read; for others, the kernel reports
/// status 0.
bool isOursToAsk(std::uint32_t pid)
{
    std::error_code refused;
    return !std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/ns/user", refused).empty();
}

/// A process in a pid namespace of its own (a container) has another id there than here.
std::optional<std::uint32_t> findHere(std::uint32_t pid, std::uint64_t startTicks)
{
    const auto isThat = [startTicks](const std::string& candidate) {
        const auto stat = host::processStat(candidate);
        return stat && stat->startTicks == startTicks && !hasEnded(*stat);
    };
    if (isThat(std::to_string(pid))) {
        return pid;
    }
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string candidate = entry.path().filename().string();
        const auto id = values::parseNumber<std::uint32_t>(candidate);
        if (id && id != pid && isThat(candidate) && host::ownIdOf(candidate) == pid) {
            return id;
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
    return findHere(pid, startTicks);
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
