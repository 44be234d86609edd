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
    std::map<std::size_t, std::int64_t> lostNs; ///< by analyzed step: the length of the gaps
    std::vector<std::int64_t> losses;           ///< one an operation
    std::int64_t sumNs = 0;
    std::int64_t largestNs = 0;
    std::size_t worstOfSteps = 0; ///< steps in which no other group of this size lost more
    std::size_t heavySteps = 0;   ///< the fewest steps with nine tenths of what groups of this size lost
    std::size_t worstOfHeavySteps = 0;
    std::size_t candidates = 0;     ///< ranks that it is one of: all, or it and its peers
    std::size_t worstOperation = 0; ///< of RunMetrics::arrived: the one with the largest gap
    /// Instead, of an origin (delay_origins.h): the step in which it held the others up longest, on its
    /// clock.
    std::optional<Interval> worstWindow;
};

/// Groups of at most half of a collective's ranks; of each collective its three largest gaps count. What a
/// rank took over from the collective before (carried_lateness.h) is not its own. In a job of several process
/// groups, the origins of delays (delay_origins.h).
[[nodiscard]] std::vector<LateGroup> findLateGroups(const model::Model& model, const RunMetrics& run);

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
