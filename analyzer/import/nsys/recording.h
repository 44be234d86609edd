// SPDX-License-Identifier: Apache-2.0
// What is read of an export, process by process, before it is joined: rows of the trace with times since the
// session's start, names as numbers of one table, threads as the kernel's ids.
#pragma once
#include "import/name_table.h"
#include "import/nsys/metadata.h"
#include "import/nsys/payload.h"

#include <ringside/trace/reader.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringside::importers::nsys {

/// NVTX domain of a range of NCCL's, and of one whose domain has no name in the file.
struct NcclRange {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    trace::StringId name = 0; ///< "ncclAllReduce"
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
};

struct Counts {
    std::int64_t implausible = 0; ///< times or sizes that cannot be
    std::int64_t incomplete = 0;  ///< rows without a process, device, stream or thread
    std::int64_t nameless = 0;    ///< kernels and calls whose name is not among the strings
    std::int64_t openRanges = 0;  ///< ranges without an end
    std::int64_t badPayloads = 0; ///< of NCCL's ranges
    std::int64_t wholeGraphs = 0; ///< launches of CUDA graphs recorded as one piece of work
    std::int64_t tooMany = 0;     ///< rows of processes beyond those that are kept apart
    std::int64_t leftOut = 0;     ///< rows that have no place in a run
    std::vector<std::string> leftOutKinds;
};

struct Recording {
    Metadata metadata;
    std::map<std::int64_t, ProcessRows> processes; ///< by processKey
    NameTable names;
    std::unordered_map<std::int64_t, trace::StringId> strings; ///< of table StringIds: in `names`
    Counts counts;

    /// Null, and the row is counted, where there are too many of them.
    ProcessRows* processOf(std::int64_t globalId);
    /// The name of a row; counted where there is none.
    trace::StringId nameOf(std::optional<std::int64_t> stringId);
    /// Since the session's start; nothing where no clock shows such times.
    [[nodiscard]] bool readTimes(std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                                 std::int64_t& startNs, std::int64_t& endNs);
};

} // namespace ringside::importers::nsys
