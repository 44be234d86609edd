// SPDX-License-Identifier: Apache-2.0
// Processes as shown by /proc: /proc/PID/stat, pid namespace, boot id; and what this process knows of itself.
// Values that cannot be read are null or empty.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::host {

/// Fields of /proc/PID/stat, see proc(5).
struct ProcessStat {
    char state = 0;               ///< field 3: 'R', 'S', 'T', 'Z' ...
    std::uint64_t parent = 0;     ///< field 4, a process id
    std::uint64_t threads = 0;    ///< field 20
    std::uint64_t startTicks = 0; ///< field 22: start time, in clock ticks after boot
    std::uint64_t residentPages = 0;
    /// Field 52, as of wait(2); null if the kernel is older, or the line is truncated.
    std::optional<int> waitStatus;
};
[[nodiscard]] std::optional<ProcessStat> parseProcessStat(std::string_view text);

/// `pid` may be "self", or "PID/task/TID" for a thread. Returns null if there is no such process.
[[nodiscard]] std::optional<ProcessStat> processStat(const std::string& pid);

/// Returns the id of a process (or of a thread, "PID/task/TID") in its own pid namespace; null if not known.
[[nodiscard]] std::optional<std::uint32_t> ownIdOf(const std::string& pid);

/// Returns the start time of this process; 0 if /proc does not show it.
[[nodiscard]] std::uint64_t ownStartTicks();

/// Returns the link of this process's pid namespace, "pid:[4026531836]"; empty if not known.
[[nodiscard]] std::string ownPidNamespace();

/// Returns the name of this host; "unknown" if it cannot be read.
[[nodiscard]] std::string hostName();

/// Returns the value of an environment variable; empty if it is not set.
[[nodiscard]] std::string environmentValue(const char* name);

/// Returns the id of this boot of the machine; empty if not known.
[[nodiscard]] std::string bootId();

/// Returns the CPUs on which the process's first thread may run, "0-3,8"; empty if not known. `procRoot` is
/// "/proc" or a similar tree.
[[nodiscard]] std::string allowedCpus(const std::string& procRoot = "/proc");

} // namespace ringside::host
