// SPDX-License-Identifier: Apache-2.0
// A program with costs: what a replay follows. Costs are fitted over steps (a typical time each), and what
// varies from step to step is kept apart as factors of a few samples, so that ranks are late together or
// apart as they really were. Changes are made here; nothing in a plan refers to the model any more.
#pragma once
#include "whatif/program.h"

#include <span>

namespace ringside::whatif {

/// Where the host waits for something of which no call is recorded: data, another thread, its own work.
struct Gate {
    std::optional<Wait> anchor;        ///< it opens so long after this; null: after what the host did before
    std::vector<double> extraNs;       ///< a sample
    std::vector<double> withoutDataNs; ///< a sample; after what the host did before, with data at hand;
                                       ///< empty: no data loading range was seen here
    double starvedNs = 0;              ///< how long the device had nothing left to do, mean
};

/// From when all that is known would let an operation start until it did. What a launch to an idle device
/// takes longer than the shortest is not there any more when the operation has to queue.
struct Delay {
    double afterLaunchNs = 0; ///< where its launch came last
    double afterWaitsNs = 0;  ///< where what it waits for did
    double seenNs = 0;        ///< the one of both that this sample showed; the other one is the usual
};

struct PlannedOp {
    Op op;
    double ns = 0;             ///< of itself; where ranks meet the slot's cost counts instead
    std::vector<Delay> delays; ///< a sample: who comes last makes all wait
    double hostNs = 0;         ///< host's time before the launch; where it blocks, until it has to wait
    double wakeNs = 0;         ///< inside of blocking calls after the end of what they wait for
    double betweenNs = 0;      ///< outside of them after that end, up to the last one
    double afterBlockNs = 0;   ///< from the last one's return to the launch
    double callNs = 0;         ///< of the launching call
    double returnNs = 0;       ///< blocking launches: from the operation's end to the call's
    std::optional<Gate> gate;
};

struct PlannedRank {
    std::int64_t rank = 0; ///< as the run counts
    std::uint32_t lanes = 0;
    double latencyNs = 0; ///< from the begin of a launch to the earliest start
    std::vector<PlannedOp> ops;
    std::vector<double> pace; ///< a sample; how much longer its operations took than usual
};

/// time = latency + bytes x nsPerByte, of one kind on one communicator.
struct CostLine {
    double latencyNs = 0;
    double nsPerByte = 0;
    double leastBytes = 0; ///< fitted over these
    double mostBytes = 0;
    [[nodiscard]] double at(double bytes) const { return latencyNs + bytes * nsPerByte; }
};

struct PlannedSlot {
    Slot slot;                    ///< without its transfers
    double ns = 0;                ///< from the last arrival to the end, typical
    std::vector<double> factor;   ///< a sample
    std::optional<CostLine> line; ///< null: sizes that do not tell latency from bandwidth, or are not known
};

struct Plan {
    std::vector<PlannedRank> ranks;
    std::vector<PlannedSlot> slotTable;
    std::int64_t worldSize = 0; ///< of the job; fewer ranks may have been recorded
    std::size_t samples = 0;
    bool apart = false;         ///< no two steps follow each other, so one begins when the one before is over
    bool inferredWaits = false; ///< of the program
    bool dataRanges = false;    ///< the host was seen inside ranges around data loading
    unsigned accumulate = 1; ///< so many steps without gradient messages and what needs them, then one with
};

/// Middle of a distribution whose tails are hiccups: the mean, with the outer twentieth at each end moved in.
[[nodiscard]] double typical(const std::vector<double>& values);

/// Fits a plan to these steps (places in Program::steps).
[[nodiscard]] Plan fitPlan(const Program& program, const model::Model& model,
                           std::span<const std::size_t> steps);

/// The program's measured time a step over these steps, by the ends of each rank's last operation.
[[nodiscard]] double measuredStepNs(const Program& program, std::span<const std::size_t> steps);

/// Theil-Sen: the median of the slopes between all pairs of sizes. Null when the largest size is less than a
/// quarter above the smallest, or time does not grow with size.
struct SizedTime {
    double bytes = 0;
    double ns = 0;
};
[[nodiscard]] std::optional<CostLine> fitLine(std::vector<SizedTime> points);

/// Where a rank's gates are, filled in by fitPlan.
void fitGates(const Program& program, const RankProgram& rank, std::span<const std::size_t> steps,
              PlannedRank& planned);

} // namespace ringside::whatif
