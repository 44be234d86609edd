// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/origins.h"

#include "words/origins.h"

namespace ringside::rules {

words::Text placeText(const Context& context, std::size_t rank)
{
    const std::string name = context.run.layout.nameOf(rank);
    return name.empty() ? words::Text() : say(words::origins::place, {{"place", name}});
}

words::Text originTitle(const Context& context, const metrics::LateGroup& origin, words::Text often,
                        words::Text cause, bool nowAndThen)
{
    const std::size_t rank = origin.ranks.front();
    return say(words::origins::delays, {{"rank", context.run.ranks[rank].rank},
                                        {"place", placeText(context, rank)},
                                        {"sometimes", nowAndThen ? words::origins::sometimes : words::Text()},
                                        {"candidates", origin.candidates},
                                        {"often", std::move(often)},
                                        {"cause", std::move(cause)}});
}

Evidence originEvidence(const Context& context, const metrics::LateGroup& origin)
{
    return evidence(context.run.ranks[origin.ranks.front()], *origin.worstWindow,
                    say(words::origins::worst_step, {{"delay", origin.largestNs}}));
}

} // namespace ringside::rules
