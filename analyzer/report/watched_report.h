// SPDX-License-Identifier: Apache-2.0
// A report for somebody who may have had enough before it is there.
#pragma once
#include "report/report.h"

#include <functional>

namespace ringside::report {

/// Called between pieces of the work. What it throws ends the work and comes out of it; it must not be a
/// std::exception, which would only be a rule that failed.
using Checkpoint = std::function<void()>;

/// As buildReport(run, options, modelOptions).
[[nodiscard]] Report buildReport(trace::RunTrace run, const rules::OptionValues& options,
                                 const model::ModelOptions& modelOptions, const Checkpoint& checkpoint);

} // namespace ringside::report
