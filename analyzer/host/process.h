// SPDX-License-Identifier: Apache-2.0
// Processes as /proc shows them: /proc/PID/stat, which pid namespace, which boot. What cannot be read is
// nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::host {

/// Fields of /proc/PID/stat, see proc(5).
struct ProcessStat {
    char state = 0;               ///< field 3: 'R', 'S', 'T', 'Z' ...
    std::uint64_t threads = 0;    ///< field 20
    std::uint64_t startTicks = 0; ///< field 22: when it began, in clock ticks after boot
    std::uint64_t residentPages = 0;
    std::optional<int> waitStatus; ///< field 52, as wait(2) gives it; null: an older kernel, or it is cut
};
[[nodiscard]] std::optional<ProcessStat> parseProcessStat(std::string_view text);

/// `pid` may be "self". Null: there is no such process.
[[nodiscard]] std::optional<ProcessStat> processStat(const std::string& pid);

/// Of this process; 0 where /proc does not tell.
[[nodiscard]] std::uint64_t ownStartTicks();

/// The link of this process's pid namespace, "pid:[4026531836]"; empty: not known.
[[nodiscard]] std::string ownPidNamespace();

/// The number that this boot of the machine has; empty: not known.
[[nodiscard]] std::string bootId();

/// CPUs that the process's first thread may run on, "0-3,8"; empty: not known. `procRoot` is "/proc" or a
/// tree like it.
[[nodiscard]] std::string allowedCpus(const std::string& procRoot = "/proc");

} // namespace ringside::host
