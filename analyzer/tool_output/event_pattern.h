// SPDX-License-Identifier: Apache-2.0
// Which event a line of a log tells, by the words in it.
#pragma once
#include "tool_output/text.h"
#include "trace/vocabulary/kernel_event.h"

#include <span>

namespace ringside::tool_output {

struct EventPattern {
    std::string_view part;
    std::string_view and_; ///< a second part that must follow; empty: none
    trace::KernelEvent event;
};

/// Returns the event of the first pattern that fits, so that the special ones come first; null if none fits.
[[nodiscard]] std::optional<trace::KernelEvent> eventOf(std::span<const EventPattern> patterns,
                                                        std::string_view message);

} // namespace ringside::tool_output
