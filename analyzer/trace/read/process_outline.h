// SPDX-License-Identifier: Apache-2.0
// How long the recording of a process is, without its rows.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <filesystem>

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

} // namespace ringside::trace
