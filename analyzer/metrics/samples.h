// SPDX-License-Identifier: Apache-2.0
// What was sampled while a rank trained: values of gauges, gains of counters, within a stretch of time. What
// was not sampled is null, never 0.
#pragma once
#include "model/model.h"

#include <optional>
#include <string_view>
#include <vector>

namespace ringside::metrics {

struct SampleValue {
    std::int64_t timeNs = 0; ///< on the host's clock
    std::int64_t value = 0;  ///< in the unit of the metric
};

/// A thing that is sampled, as table `series` names it.
struct SeriesName {
    std::string_view source;
    std::string_view entity;
    std::string_view metric;
};

/// By time, those within `span` only; empty: the series does not exist or has none there.
[[nodiscard]] std::vector<SampleValue> samplesIn(const trace::ProcessTrace& process, const SeriesName& name,
                                                 const model::Interval& span);
/// What a counter of 64 bits gained between its first and last sample in `span`; null with fewer than two.
[[nodiscard]] std::optional<std::int64_t> gainIn(const trace::ProcessTrace& process, const SeriesName& name,
                                                 const model::Interval& span);
/// "gpu0": how the rank's device is called in samples.
[[nodiscard]] std::string gpuName(const model::Model& model, const model::Rank& rank);
/// The process that sampled the machine of this rank: one a host does. Null: none did.
[[nodiscard]] const trace::ProcessTrace* machineSampler(const model::Model& model, const model::Rank& rank,
                                                        const SeriesName& name);

} // namespace ringside::metrics
