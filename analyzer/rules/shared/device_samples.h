// SPDX-License-Identifier: Apache-2.0
// Helpers for rules about samples of GPUs and hosts: the values of each rank, and the reasons if there are
// none.
#pragma once
#include "metrics/samples.h"
#include "rules/shared/support.h"
#include "words/device_samples.h"

#include <limits>

namespace ringside::rules {

inline const NotApplicable kNeedsNvml{words::device_samples::needs_nvml};
inline const NotApplicable kNeedsHostSamples{words::device_samples::needs_host_samples};

/// Returns a span that covers the whole recording: errors count outside of the analyzed steps too.
[[nodiscard]] model::Interval wholeLife();

[[nodiscard]] std::vector<metrics::SampleValue> gpuSamples(const Context& context, const model::Rank& rank,
                                                           const trace::SeriesMetric& metric,
                                                           const model::Interval& span = wholeLife());

/// Returns the span from the first to the last sample as evidence.
[[nodiscard]] Evidence evidence(const model::Rank& rank, const std::vector<metrics::SampleValue>& samples,
                                words::Text what);

} // namespace ringside::rules
