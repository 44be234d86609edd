// SPDX-License-Identifier: Apache-2.0
// Holds the rows read from an export, by process, before they are joined. Times are ns since the session's
// start, names are ids in one table, and threads are the kernel's ids.
#pragma once
#include "import/name_table.h"
#include "import/nsys/metadata.h"
#include "import/nsys/payload.h"
#include "trace/write/launch_configurations.h"

#include <ringside/trace/reader.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringside::importers::nsys {

/// An NVTX range of NCCL.
struct NcclRange {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    trace::StringId name = 0; ///< such as "ncclAllReduce"
    std::uint32_t tid = 0;
    Payload payload;
};

/// One process of the session.
struct ProcessRows {
    trace::ProcessTrace trace; ///< columns and ranges; thread: the kernel's id
    std::vector<NcclRange> nccl;
    std::map<std::int64_t, trace::StringId> domains; ///< NVTX domains by id
    std::map<std::uint32_t, std::string> threadNames;
    std::optional<std::int64_t> mpiRank;
    trace::LaunchConfigurations configurations;

    /// Returns the id of a kernel's launch configuration, and stores it if it is the first of its kind.
    std::uint32_t configurationOf(trace::StringId name, trace::LaunchConfigurationRow row);
};

struct Counts {
    std::int64_t implausible = 0; ///< rows with impossible times or sizes
    std::int64_t incomplete = 0;  ///< rows without a process, device, stream or thread
    std::int64_t nameless = 0;    ///< rows whose name is not in table StringIds
    std::int64_t openRanges = 0;  ///< ranges without an end
    std::int64_t badPayloads = 0; ///< NCCL ranges with an unreadable payload
    std::int64_t wholeGraphs = 0; ///< launches of CUDA graphs that were recorded as one row
    std::int64_t tooMany = 0;     ///< rows of processes beyond the limit
    std::int64_t leftOut = 0;     ///< rows for which the trace has no table
    std::vector<std::string> leftOutKinds;
};

struct Recording {
    Metadata metadata;
    std::map<std::int64_t, ProcessRows> processes; ///< by processKey
    NameTable names;
    std::unordered_map<std::int64_t, trace::StringId> strings; ///< id in `names` by id in table StringIds
    Counts counts;

    /// Returns the process of a row. Null if there are too many processes; the row is then counted.
    ProcessRows* processOf(std::int64_t globalId);
    /// Returns the name of a row. 0 if it is not in table StringIds; the row is then counted.
    trace::StringId nameOf(std::optional<std::int64_t> stringId);
    /// Converts times to ns since the session's start. Returns false if they are implausible; the row is then
    /// counted.
    [[nodiscard]] bool readTimes(std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                                 std::int64_t& startNs, std::int64_t& endNs);
};

} // namespace ringside::importers::nsys
