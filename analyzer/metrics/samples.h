// SPDX-License-Identifier: Apache-2.0
// Reads what was sampled while a rank trained: the values of gauges and the gains of counters within a time
// span. What was not sampled is null, never 0.
#pragma once
#include "conditions/subject.h"
#include "model/model.h"

#include <optional>
#include <string_view>
#include <vector>

namespace ringside::metrics {

using conditions::SampleValue;

/// What is known between two samples.
struct SampledStep {
    model::Interval time;        ///< on the clock of the samples
    std::optional<double> value; ///< null: not measured
};

/// Returns what samples, ordered by time, say of the time between them, without gaps. A gauge keeps its value
/// until the next sample, and a value whose changes were all recorded until the next change or the
/// recording's end. A counter has its gain per second; it is unknown where the counter was reset or is
/// damaged. Where sampling paused for several times the usual period, gauges and counters are unknown. Values
/// are multiplied by `factor`.
[[nodiscard]] std::vector<SampledStep> sampledSteps(const trace::SeriesKindName& kind,
                                                    const std::vector<SampleValue>& samples, double factor,
                                                    std::int64_t endNs);

/// Identifies a series by the columns of table `series`.
struct SampledSeries {
    trace::SeriesSource source;
    std::string_view entity;
    trace::SeriesMetric metric;
};

/// Returns the samples within `span`, ordered by time. Empty if there are none or the series does not exist.
[[nodiscard]] std::vector<SampleValue> samplesIn(const trace::ProcessTrace& process,
                                                 const SampledSeries& name, const model::Interval& span);
/// Returns what a 64-bit counter gained between its first and last sample in `span`. Null with fewer than two
/// samples, or if the counter was reset in between.
[[nodiscard]] std::optional<std::int64_t> gainIn(const trace::ProcessTrace& process,
                                                 const SampledSeries& name, const model::Interval& span);
/// Returns the name of the rank's device in samples, such as "gpu0".
[[nodiscard]] std::string gpuName(const model::Model& model, const model::Rank& rank);

} // namespace ringside::metrics
