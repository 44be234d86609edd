// SPDX-License-Identifier: Apache-2.0
// Describes records that were dropped for want of space, as one issue per process, so that no loss is silent.
#pragma once
#include <ringside/trace/reader.h>

#include <optional>

namespace ringside::report {

/// Returns an issue that states how many records of which threads and tiers are missing; null if none are.
std::optional<trace::IssueRow> describeDrops(const trace::ProcessTrace& process);

} // namespace ringside::report
