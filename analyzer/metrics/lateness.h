// SPDX-License-Identifier: Apache-2.0
// Who came late to the collectives of the analyzed steps, alone or together with others, and what these ranks
// did instead.
#pragma once
#include "metrics/metrics.h"

#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::metrics {

/// Ranks that came behind a gap after all others. Ranks that are equally late make nobody wait for one of
/// them alone, so each gap between arrivals is charged to all that came after it.
struct LateGroup {
    std::vector<std::size_t> ranks;             ///< of Model::ranks, ascending
    std::map<std::size_t, std::int64_t> lostNs; ///< by block: the length of the gaps
    std::vector<std::int64_t> losses;           ///< one an operation
    std::int64_t sumNs = 0;
    std::int64_t largestNs = 0;
    std::size_t worstOfOperations = 0; ///< operations in which the others waited longest for it
    std::size_t worstOfBlocks = 0;     ///< blocks in which no other group of this size lost more
    std::size_t heavyBlocks = 0; ///< the fewest blocks with nine tenths of what groups of this size lost
    std::size_t worstOfHeavyBlocks = 0;
    std::size_t candidates = 0;     ///< ranks that it is one of: all, or it and its peers
    std::size_t worstOperation = 0; ///< of RunMetrics::arrived: the one with the largest gap
    /// Instead, of an origin (delay_origins.h): the step in which it held the others up longest, on its
    /// clock.
    std::optional<Interval> worstWindow;
};

/// Whether a quarter of the blocks holds three quarters of what this group costs: it is late now and then.
[[nodiscard]] bool isLateInFewBlocks(const LateGroup& group, std::size_t blocks);

/// What chance is judged over. Collectives of one step are not independent, so the blocks are the steps. Of
/// fewer than four steps, or of a recording without steps, they are stretches of collectives that follow each
/// other: of n as many as the root of n, each as long, so that lateness which lasts for a while is one event.
struct LateGroups {
    std::vector<LateGroup> groups; ///< the greatest loss first
    std::size_t blocks = 0;
    bool withinSteps = false; ///< blocks are not steps
};

/// Groups of at most half of a collective's ranks; of each collective its three largest gaps count. What a
/// rank took over from the collective before (carried_lateness.h) is not its own. In a job of several process
/// groups, the origins of delays (delay_origins.h), whose blocks are always the steps.
[[nodiscard]] LateGroups findLateGroups(const model::Model& model, const RunMetrics& run);

/// Who came last to collectives, by lateness of its own, and how long all others together waited for it.
struct WaitedFor {
    std::size_t rank = 0; ///< of Model::ranks
    std::size_t operations = 0;
    double waitNs = 0;
    std::size_t worstOperation = 0; ///< of RunMetrics::arrived: the one with the longest waiting
    double worstWaitNs = 0;
};
/// The longest waiting first. Empty where arrivals were not measured.
[[nodiscard]] std::vector<WaitedFor> findWaitedFor(const model::Model& model, const RunMetrics& run);

/// How much later than the middle one of its ranks each rank came to the collectives of a step by lateness of
/// its own, summed: by RunMetrics::ranks, by analyzed step. Empty where arrivals were not measured.
[[nodiscard]] std::vector<std::vector<std::int64_t>> latenessBySteps(const model::Model& model,
                                                                     const RunMetrics& run);

/// What the late ranks spend more time on than the others, from their own timelines.
enum class LateCause : std::uint8_t {
    Compute,         ///< kernels take longer
    ThrottledClock,  ///< they do, and the GPU's clock is lower than the others'
    DataLoading,     ///< waiting for data
    Synchronization, ///< idle after blocking calls
    Host,            ///< the host launches late
    CpuContention,   ///< it does, and its threads wait for a CPU
    Copies,
};
struct Lateness {
    LateCause cause = LateCause::Compute;
    std::int64_t excessNs = 0;    ///< of a step, more than the median of the others
    std::int64_t allExcessNs = 0; ///< with the lesser causes: mending the ranks cannot save more
};
/// Null: they spend no more time on anything.
[[nodiscard]] std::optional<Lateness> whyLate(const model::Model& model, const RunMetrics& run,
                                              const std::vector<std::size_t>& ranks);

} // namespace ringside::metrics
