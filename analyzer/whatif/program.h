// SPDX-License-Identifier: Apache-2.0
// The dependency graph of a run's step, read from the recording: what each rank launches in which order, the
// dependencies, and the collectives in which ranks meet. One program for each rank stands for all of its
// steps. Differences between steps are kept as observations, from which costs are fitted. It predicts nothing
// itself.
#pragma once
#include "model/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::whatif {

/// The end of an operation of the same rank, a number of steps ago.
struct Wait {
    std::uint32_t op = 0;
    std::uint32_t stepsBack = 0;
    bool operator==(const Wait&) const = default;
};

/// An operation on the device; operations are in the order of their launches.
struct Op {
    std::uint32_t lane = 0; ///< stream of the rank, counted from 0
    std::uint32_t tid = 0;  ///< of the launching thread
    bool communication = false;
    bool copy = false;
    bool blocksHost = false;           ///< its launch returns only when it is done
    bool blockedBefore = false;        ///< the host waits in a blocking call before it launches this
    std::optional<std::uint32_t> slot; ///< index into Program::slotTable: a collective with other ranks
    std::vector<Wait> after;           ///< waits for work on other streams
    std::vector<Wait> hostAfter;       ///< work that the blocking call waits for
};

/// A blocking call.
struct Block {
    std::int64_t start = 0;
    std::int64_t end = 0;
};

/// One operation in one step, run time in ns.
struct Observed {
    std::int64_t launchStart = 0;
    std::int64_t launchEnd = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::vector<Block> blocks = {}; ///< blocking calls between the launch before and this one, in order
    /// part of the host's time before the launch that lies inside data loading ranges
    std::int64_t dataNs = 0;
};

struct RankProgram {
    std::size_t rank = 0; ///< index into Model::ranks
    std::uint32_t lanes = 0;
    std::vector<Op> ops;
    std::vector<std::vector<Observed>> steps; ///< by step of Program::steps, then by operation
};

/// A collective of the step.
struct Slot {
    std::uint64_t communicator = 0;
    model::CollectiveKind kind = model::CollectiveKind::Other;
    std::optional<std::uint64_t> bytes; ///< null: not recorded
    std::int64_t size = 0;              ///< number of ranks
    std::optional<std::int64_t> datatype;
    bool withinHost = true;
    bool gradient = false;                               ///< all-reduce or reduce-scatter over all ranks
    bool usedMap = false;                                ///< reduces a map of used parameters
    std::vector<std::optional<std::int64_t>> transferNs; ///< by step; from the last arrival to the end
};

struct Program {
    std::vector<RankProgram> ranks;
    std::vector<Slot> slotTable;
    std::vector<std::int64_t> steps;   ///< numbers; ascending
    std::vector<std::string> notKnown; ///< recorded facts that the graph leaves out
    std::size_t unresolvedWaits = 0;   ///< number of waits on streams that launched nothing
    std::size_t irregularSteps = 0;    ///< number of analyzed steps that are not like the others
    /// no waits between streams were recorded: they are inferred from times
    bool inferredWaits = false;

    /// Returns whether the step before was recorded, too.
    [[nodiscard]] bool follows(std::size_t step, std::size_t back = 1) const
    {
        return step >= back && steps[step] - steps[step - back] == static_cast<std::int64_t>(back);
    }
};

/// Throws ringside::Error (Unusable) with the reason if the run has no graph to replay.
[[nodiscard]] Program readProgram(const model::Model& model);

/// Fills Op::after, Op::hostAfter and Op::blockedBefore of a rank whose operations and steps are set, and the
/// blocks of its observations. Dependencies that cannot be resolved are noted in the program.
void findDependencies(const model::Model& model, Program& program, RankProgram& rank);

/// Returns the operation before each one on its lane, of the same step or of the one before.
[[nodiscard]] std::vector<Wait> previousOnLane(const RankProgram& rank);

} // namespace ringside::whatif
