// SPDX-License-Identifier: Apache-2.0
// What a recording lost for want of room, as an issue a process: nothing is missing silently.
#pragma once
#include <ringside/trace/reader.h>

#include <optional>

namespace ringside::report {

/// Says how many records of which threads and tiers are missing; nothing when none is.
std::optional<trace::IssueRow> describeDrops(const trace::ProcessTrace& process);

} // namespace ringside::report
