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
    bool hasRank = false;
    bool restarted = false; ///< another attempt of the same rank came before
    /// Only what marks steps: rows of step_mark, ranges whose names are steps (step_name.h), windows.
    ProcessTrace marks;
    std::uint64_t packedRows = 0;  ///< of chunked tables that are cut by time
    std::uint64_t deviceRows = 0;  ///< of these, kernels
    std::uint64_t collectives = 0; ///< calls
    std::uint64_t otherRows = 0;   ///< ranges, groups, operations of NCCL, summaries of steps
};

/// Returns the outline of every process of a run, without those whose files cannot be read.
[[nodiscard]] std::vector<ProcessOutline> outlineOf(const std::filesystem::path& run);

/// Returns the size of all trace files of a run.
[[nodiscard]] std::uintmax_t fileBytesOf(const std::filesystem::path& run);

} // namespace ringside::trace
