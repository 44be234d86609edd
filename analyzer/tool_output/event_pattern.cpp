// SPDX-License-Identifier: Apache-2.0
#include "tool_output/event_pattern.h"

namespace ringside::tool_output {

std::optional<trace::KernelEvent> eventOf(std::span<const EventPattern> patterns, std::string_view message)
{
    for (const EventPattern& each : patterns) {
        const std::size_t at = message.find(each.part);
        if (at != std::string_view::npos && holds(message.substr(at + each.part.size()), each.and_)) {
            return each.event;
        }
    }
    return std::nullopt;
}

} // namespace ringside::tool_output
