// SPDX-License-Identifier: Apache-2.0
// What a host withholds from a rank: time in which its threads were ready to run without a processor.
#pragma once
#include "metrics/metrics.h"

#include <optional>

namespace ringside::metrics {

/// Within a span of a rank's time. What was not sampled is null.
struct Contention {
    std::optional<std::int64_t> delayNs;     ///< its recording threads were runnable without a CPU
    std::optional<std::int64_t> throttledNs; ///< its control group's quota stopped it
    std::optional<std::int64_t> stolenNs;    ///< the part of the time that the hypervisor gave to others
    std::optional<std::int64_t> preemptions; ///< involuntary switches of all its threads

    [[nodiscard]] bool isMeasured() const { return delayNs || throttledNs || stolenNs; }
    /// Returns the longest of them: they overlap, and what each of them says was waited.
    [[nodiscard]] std::int64_t waitedNs() const;
};

[[nodiscard]] Contention contentionOf(const model::Model& model, const model::Rank& rank,
                                      const Interval& span);
/// Over the rank's analyzed steps.
[[nodiscard]] Contention contentionOf(const model::Model& model, const RankMetrics& rank);

} // namespace ringside::metrics
