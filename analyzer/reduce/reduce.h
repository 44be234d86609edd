// SPDX-License-Identifier: Apache-2.0
// Makes summaries of hosts: small traces in the same format, from which a report on a run can be had where
// its traces would be too many to move. A summary has every process of its host, sums of every step, and all
// rows of a sample of steps (step_sample.h), which is the same on every host.
#pragma once
#include "reduce/host_run.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace ringside::reduce {

inline constexpr std::int64_t kDefaultSteps = 40;

struct Request {
    std::filesystem::path directory;    ///< where the summary is written; must exist
    std::int64_t steps = kDefaultSteps; ///< about how many are kept with all rows; 0: none
};

struct Reduced {
    std::filesystem::path file;
    std::size_t processes = 0;
    std::size_t unreadable = 0; ///< processes that could not be read any more
    std::size_t steps = 0;      ///< that any process marks
    std::size_t wholeSteps = 0; ///< of these, with all rows
    std::uintmax_t bytes = 0;
};

/// Writes HOST.summary.db. It replaces an earlier summary by a rename; equal traces give equal bytes. Throws
/// Error: Usage if the host's processes mark no steps, or if the file exists and is no summary; Unusable if
/// no process can be read; Io.
Reduced reduceHost(const HostRun& host, const Request& request);

} // namespace ringside::reduce
