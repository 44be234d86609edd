// SPDX-License-Identifier: Apache-2.0
// Finds the ranks that arrived late at the collectives of the analyzed steps, alone or together with others,
// and what they spent their time on instead.
#pragma once
#include "metrics/late_group.h"
#include "metrics/metrics.h"

#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::metrics {

/// Whether a quarter of the blocks holds more than three quarters of the group's loss, so that the group is
/// late only now and then.
[[nodiscard]] bool isLateInFewBlocks(const LateGroup& group, std::size_t blocks);

/// Late groups, and the blocks over which statistics judge them. Collectives of one step are not
/// independent, so a block is a step. If there are fewer than four steps, or the recording has none, a block
/// is a stretch of consecutive collectives: n collectives make sqrt(n) blocks of equal size, so that lateness
/// that lasts for a while counts once.
struct LateGroups {
    std::vector<LateGroup> groups; ///< ordered by loss, the greatest first
    std::size_t blocks = 0;
    bool withinSteps = false; ///< whether blocks are parts of steps instead of steps
};

/// Finds the late groups of a run. A group has at most half of a collective's ranks, and each collective
/// counts its three largest gaps. Lateness that was carried (arrivals.h) is not counted. If the job has
/// several process groups, the result is the origins of delays (delay_origins.h), whose blocks are always
/// steps.
[[nodiscard]] LateGroups findLateGroups(const model::Model& model, const RunMetrics& run);

/// A rank that arrived last at collectives by its own lateness, and how long all other ranks together waited.
struct WaitedFor {
    std::size_t rank = 0; ///< index into Model::ranks
    std::size_t operations = 0;
    double waitNs = 0;
    std::size_t worstOperation = 0; ///< index into RunMetrics::arrived of the one with the longest waiting
    double worstWaitNs = 0;
};
/// Returns these ranks, ordered by waiting, the longest first. Empty if arrivals were not measured.
[[nodiscard]] std::vector<WaitedFor> findWaitedFor(const model::Model& model, const RunMetrics& run);

/// Returns the sum of the gaps that are charged to each rank, over the collectives of a step: by how many ns
/// it arrived later than the median rank by its own lateness, where that counts. Indices: RunMetrics::ranks,
/// analyzed step. Empty if arrivals were not measured.
[[nodiscard]] std::vector<std::vector<std::int64_t>> latenessBySteps(const model::Model& model,
                                                                     const RunMetrics& run);

/// What late ranks spend more time on than the others, according to their own timelines.
enum class LateCause : std::uint8_t {
    Compute,         ///< kernels take longer
    ThrottledClock,  ///< kernels take longer, and the GPU's clock is lower than on the others
    DataLoading,     ///< waiting for data
    Synchronization, ///< idle after blocking calls
    Host,            ///< the host launches late
    CpuContention,   ///< the host launches late, and its threads wait for a CPU
    Copies,
};
struct Lateness {
    LateCause cause = LateCause::Compute;
    std::int64_t excessNs = 0;    ///< time per step above the median of the others
    std::int64_t allExcessNs = 0; ///< the same over all causes: the most that fixing the ranks can save
};
/// Finds the largest cause of lateness of `ranks`. Returns null if they spend more time on nothing.
[[nodiscard]] std::optional<Lateness> findLateCause(const model::Model& model, const RunMetrics& run,
                                                    const std::vector<std::size_t>& ranks);

/// Returns for how long per step each of `ranks` at least was withheld a processor (contention.h), ns; 0 if
/// that was not measured of one of them.
[[nodiscard]] std::int64_t withheldNs(const model::Model& model, const RunMetrics& run,
                                      const std::vector<std::size_t>& ranks);

} // namespace ringside::metrics
