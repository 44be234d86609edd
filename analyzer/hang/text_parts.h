// SPDX-License-Identifier: Apache-2.0
// Lines that the text and the page have in common.
#pragma once
#include "hang/hang.h"

#include <string>
#include <vector>

namespace ringside::hang {

/// "#20 of communicator 1f 'world' (4 ranks): ncclAllReduce, 1024 elements"
[[nodiscard]] std::string headingOf(const StuckCollective& stuck);
/// Who issued the call, who did not, who called something else, and how far the GPUs came.
[[nodiscard]] std::vector<std::string> linesOf(const StuckCollective& stuck);
/// "confidence: high: the flight recorder agrees"
[[nodiscard]] std::string confidenceText(const Report& report);
/// What could not be read or compared, a sentence each.
[[nodiscard]] std::vector<std::string> unreadNotes(const Report& report);

} // namespace ringside::hang
