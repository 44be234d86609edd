// SPDX-License-Identifier: Apache-2.0
// A program with costs, the input of a replay. Costs are fitted over steps (one typical time each). Variation
// between steps is kept as factors of a few samples, so that ranks are late together or apart as in the run.
// Changes are applied to a plan; it does not refer to the model any more.
#pragma once
#include "whatif/program.h"

#include <span>

namespace ringside::whatif {

/// A wait of the host without a recorded call: for data, for another thread, or its own work.
struct Gate {
    /// it opens this long after the anchor; null: after the host's own work before
    std::optional<Wait> anchor;
    std::vector<double> extraNs;       ///< by sample
    std::vector<double> withoutDataNs; ///< by sample; the same without waits for data;
                                       ///< empty: no data loading range was seen here
    double starvedNs = 0;              ///< mean time in which the device had no work left
};

/// Delay from the time at which an operation could start to its start. The extra time of a launch to an idle
/// device does not occur if the operation has to queue.
struct Delay {
    double afterLaunchNs = 0; ///< if its launch came last
    double afterWaitsNs = 0;  ///< if what it waits for came last
    double seenNs = 0;        ///< the one of both that this sample showed; the other one is typical
};

struct PlannedOp {
    Op op;
    double ns = 0;             ///< its own; of a collective, the slot's cost counts instead
    std::vector<Delay> delays; ///< by sample: the last rank makes all others wait
    double hostNs = 0;         ///< host's time before the launch; if it blocks, until it begins to wait
    double wakeNs = 0;         ///< inside of blocking calls, after the end of the awaited work
    double betweenNs = 0;      ///< outside of them, after that end, up to the last call
    double afterBlockNs = 0;   ///< from the return of the last call to the launch
    double callNs = 0;         ///< of the launching call
    double returnNs = 0;       ///< of blocking launches: from the operation's end to the return of the call
    std::optional<Gate> gate;
};

struct PlannedRank {
    std::int64_t rank = 0; ///< number of the rank in the run
    std::uint32_t lanes = 0;
    double latencyNs = 0; ///< from the begin of a launch to the earliest start
    std::vector<PlannedOp> ops;
    std::vector<double> pace; ///< by sample: how much longer its operations took than usual
};

/// time = latency + bytes x nsPerByte, for one kind on one communicator.
struct CostLine {
    double latencyNs = 0;
    double nsPerByte = 0;
    double leastBytes = 0; ///< smallest size that it was fitted to
    double mostBytes = 0;
    double residualNs = 0; ///< nine of ten points are no farther from it
    [[nodiscard]] double at(double bytes) const { return latencyNs + bytes * nsPerByte; }
};

/// Between which times a cost lies that was not measured.
struct CostBounds {
    double leastNs = 0;
    double mostNs = 0;
};

struct PlannedSlot {
    Slot slot;                    ///< without its transfers
    double ns = 0;                ///< from the last arrival to the end, typical
    std::vector<double> factor;   ///< by sample
    std::optional<CostLine> line; ///< null: the sizes are unknown or do not separate latency from bandwidth
    std::optional<CostBounds> bounds; ///< set by a change that goes beyond what was measured
};

struct Plan {
    std::vector<PlannedRank> ranks;
    std::vector<PlannedSlot> slotTable;
    std::int64_t worldSize = 0; ///< of the job; fewer ranks may have been recorded
    std::size_t samples = 0;
    /// recorded steps do not follow each other: each begins when the one before is over
    bool apart = false;
    bool inferredWaits = false; ///< of the program
    bool dataRanges = false;    ///< ranges around data loading were recorded
    unsigned accumulate = 1;    ///< number of batches for one reduction of gradients
};

/// Returns the mean with the outer twentieth at each end clamped, so that rare outliers do not count.
[[nodiscard]] double typical(const std::vector<double>& values);

/// Fits a plan to these steps (indices of Program::steps).
[[nodiscard]] Plan fitPlan(const Program& program, const model::Model& model,
                           std::span<const std::size_t> steps);

/// Returns the measured time per step over these steps, by the ends of each rank's last operation.
[[nodiscard]] double measuredStepNs(const Program& program, std::span<const std::size_t> steps);

/// Theil-Sen estimator: the median of the slopes between all pairs of sizes. Null if the largest size is less
/// than a quarter above the smallest, or if time does not grow with size.
struct SizedTime {
    double bytes = 0;
    double ns = 0;
};
[[nodiscard]] std::optional<CostLine> fitLine(std::vector<SizedTime> points);

/// Finds a rank's gates; called by fitPlan.
void fitGates(const Program& program, const RankProgram& rank, std::span<const std::size_t> steps,
              PlannedRank& planned);

} // namespace ringside::whatif
