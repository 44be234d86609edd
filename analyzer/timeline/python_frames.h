// SPDX-License-Identifier: Apache-2.0
// The Python functions that were running when a call was made or device work was launched.
#pragma once
#include "timeline/timeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::timeline {

/// Returns the names of the Python functions that a thread (thread.id) of a rank was in at a time, the
/// innermost first. Empty: none, or they were not recorded.
[[nodiscard]] std::vector<std::string> pythonFramesAt(const model::Model& model, const Timeline& timeline,
                                                      std::size_t rank, std::int64_t thread,
                                                      std::int64_t timeNs);

/// Adds the innermost functions at the begin of a call or range, or at the launch of device work.
void addPythonFrames(const model::Model& model, const Timeline& timeline, const SpanId& id,
                     Description& description);

} // namespace ringside::timeline
