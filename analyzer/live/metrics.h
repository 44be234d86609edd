// SPDX-License-Identifier: Apache-2.0
// The figures of a running job in Prometheus' text format.
#pragma once
#include "live/view.h"

#include <string>

namespace ringside::live {

/// Names end in their unit, in base units (https://prometheus.io/docs/practices/naming/). What tells jobs
/// apart stands once, in ringside_job_info, and the host of a rank in ringside_rank_info; a series of a rank
/// has the labels run and rank. What was not measured has no line.
[[nodiscard]] std::string formatPrometheus(const JobView& view);

} // namespace ringside::live
