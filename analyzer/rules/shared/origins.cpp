// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/origins.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::rules {

std::string placeText(const Context& context, std::size_t rank)
{
    const std::string name = context.run.layout.nameOf(rank);
    return name.empty() ? name : fmt::format(" ({})", name);
}

std::string stageText(const Context& context, std::int64_t stage)
{
    return fmt::format("stage {} of {}", stage, context.run.layout.sizes.pipeline);
}

std::string originTitle(const Context& context, const metrics::LateGroup& origin, std::string_view often,
                        std::string_view cause, bool nowAndThen)
{
    const std::size_t rank = origin.ranks.front();
    return fmt::format("Rank {}{} delays the others{}: of {} ranks with the same work it costs the most time "
                       "in {}; its own timeline {}",
                       context.run.ranks[rank].rank, placeText(context, rank),
                       nowAndThen ? " from time to time" : "", origin.candidates, often, cause);
}

Evidence originEvidence(const Context& context, const metrics::LateGroup& origin)
{
    return evidence(
        context.run.ranks[origin.ranks.front()], *origin.worstWindow,
        fmt::format(
            "step in which it delayed the others by {}, by the longest path through computation and messages",
            milliseconds(origin.largestNs)));
}

} // namespace ringside::rules
