// SPDX-License-Identifier: Apache-2.0
// How long a run is, without its rows: the marked steps of each process and how many rows there are. Reading
// it takes a few milliseconds a file, whatever the run holds.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ringside::trace {

struct ProcessOutline {
    std::filesystem::path file;
    std::int64_t processId = 0;
    bool damaged = false; ///< something of the file could not be read, so that the rest may be incomplete
    /// Only what says which steps there are: rows of step_mark, ranges whose names are steps (step_name.h),
    /// windows, ranks, the process's row, and whether it is a summary.
    ProcessTrace marks;
    std::uint64_t packedRows = 0;  ///< of chunked tables that are cut by time
    std::uint64_t kernels = 0;     ///< of these, kernels
    std::uint64_t collectives = 0; ///< calls
    std::uint64_t otherRows = 0;   ///< ranges, groups, operations of NCCL, summaries of steps

    [[nodiscard]] std::uint64_t rows() const { return packedRows + collectives + otherRows; }
};

/// Returns the outline of every process of a run, in the order in which openRun returns them. Files that
/// cannot be opened are left out by both.
[[nodiscard]] std::vector<ProcessOutline> outlineOf(const std::filesystem::path& run);

/// Returns the size of all trace files of a run.
[[nodiscard]] std::uintmax_t fileBytesOf(const std::filesystem::path& run);

} // namespace ringside::trace
