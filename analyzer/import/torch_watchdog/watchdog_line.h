// SPDX-License-Identifier: Apache-2.0
// Finds the lines of PyTorch's watchdog in the output of a job: calls that timed out, and how far a rank came
// in a process group (ProcessGroupNCCL.cpp, PyTorch 2.0 and newer).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::importers::watchdog {

/// A call that did not complete in time.
struct TimedOut {
    std::int64_t number = 0;    ///< in its process group, from 1
    std::string_view operation; ///< such as "ALLREDUCE"
    std::optional<std::uint64_t> elementsIn;
    std::optional<std::uint64_t> elementsOut;
    std::int64_t ranMs = 0;
};

struct WatchdogLine {
    std::int64_t rank = 0;
    std::optional<std::int64_t> timeNs; ///< since the begin of the year, by the clock of the host
    std::optional<TimedOut> timedOut;
    std::string_view group;                ///< PyTorch's name; empty: the line does not name it
    std::string_view groupName;            ///< such as "default_pg"; may be empty
    std::optional<std::int64_t> at;        ///< the call that timed out
    std::optional<std::int64_t> enqueued;  ///< the last call that was issued
    std::optional<std::int64_t> completed; ///< the last call that completed
};

/// Returns what a line says. Null: it is not of the watchdog. The texts belong to `line`.
[[nodiscard]] std::optional<WatchdogLine> readWatchdogLine(std::string_view line);

} // namespace ringside::importers::watchdog
