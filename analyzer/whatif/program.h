// SPDX-License-Identifier: Apache-2.0
// The dependency graph of a run's step, read from what was recorded: what each rank launches in which order,
// what waits for what, and where ranks meet. One program a rank stands for all of its steps; what differs
// between steps is kept as observations, from which costs are fitted. Predicts nothing itself.
#pragma once
#include "model/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::whatif {

/// The end of an operation of the same rank, so many steps ago.
struct Wait {
    std::uint32_t op = 0;
    std::uint32_t stepsBack = 0;
    bool operator==(const Wait&) const = default;
};

/// Device work in the order of its launches.
struct Op {
    std::uint32_t lane = 0; ///< stream of the rank, counted from 0
    std::uint32_t tid = 0;  ///< of the launching thread
    bool communication = false;
    bool copy = false;
    bool blocksHost = false;           ///< its launch returns only when it is done
    bool blockedBefore = false;        ///< the host waits in a blocking call before it launches this
    std::optional<std::uint32_t> slot; ///< of Program::slotTable: there it meets other ranks
    std::vector<Wait> after;           ///< on other streams
    std::vector<Wait> hostAfter;       ///< what the blocking call waits for
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
    std::vector<Block> blocks = {}; ///< between the launch before and this one, one after the other
    std::int64_t dataNs = 0;        ///< of the host's time before the launch, inside data loading ranges
};

struct RankProgram {
    std::size_t rank = 0; ///< of Model::ranks
    std::uint32_t lanes = 0;
    std::vector<Op> ops;
    std::vector<std::vector<Observed>> steps; ///< one a step of Program::steps, one an operation
};

/// A collective of the step in which ranks meet.
struct Slot {
    std::uint64_t communicator = 0;
    model::CollectiveKind kind = model::CollectiveKind::Other;
    std::optional<std::uint64_t> bytes; ///< null: not recorded
    std::int64_t size = 0;              ///< ranks
    std::optional<std::int64_t> datatype;
    bool withinHost = true;
    bool gradient = false;                               ///< all-reduce or reduce-scatter over all ranks
    bool usedMap = false;                                ///< of used parameters
    std::vector<std::optional<std::int64_t>> transferNs; ///< a step; from the last arrival to the end
};

struct Program {
    std::vector<RankProgram> ranks;
    std::vector<Slot> slotTable;
    std::vector<std::int64_t> steps;   ///< numbers; ascending
    std::vector<std::string> notKnown; ///< what was recorded but has no place in the graph
    std::size_t unresolvedWaits = 0;   ///< on streams that launched nothing
    std::size_t irregularSteps = 0;    ///< analyzed, but not like the others
    bool inferredWaits = false;        ///< no waits between streams were recorded: only times tell of them

    /// Whether the step before was recorded, too.
    [[nodiscard]] bool follows(std::size_t step, std::size_t back = 1) const
    {
        return step >= back && steps[step] - steps[step - back] == static_cast<std::int64_t>(back);
    }
};

/// Throws ringside::Error (Unusable) where a run holds no graph to replay, with the reason.
[[nodiscard]] Program readProgram(const model::Model& model);

/// Fills Op::after, Op::hostAfter and Op::blockedBefore of a rank whose operations and steps are there, and
/// the blocks of its observations. What could not be resolved is noted in the program.
void findDependencies(const model::Model& model, Program& program, RankProgram& rank);

/// The operation before each on its lane, of the same step or of the one before.
[[nodiscard]] std::vector<Wait> previousOnLane(const RankProgram& rank);

} // namespace ringside::whatif
