// SPDX-License-Identifier: Apache-2.0
// Builds a report with checkpoints, so that the caller can cancel it.
#pragma once
#include "report/report.h"

#include <functional>

namespace ringside::report {

/// Called between parts of the work. An exception that it throws ends the work and reaches the caller. It
/// must not be a std::exception, which would count as a failed rule.
using Checkpoint = std::function<void()>;

/// Builds a report like buildReport(run, options, modelOptions).
[[nodiscard]] Report buildReport(trace::RunTrace run, const rules::OptionValues& options,
                                 const model::ModelOptions& modelOptions, const Checkpoint& checkpoint);

} // namespace ringside::report
