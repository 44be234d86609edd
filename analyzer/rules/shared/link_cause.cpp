// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/link_cause.h"

#include "words/link_cause.h"

#include <algorithm>

namespace ringside::rules {
namespace {

/// Returns the first cause of which a counter increased within the spans; null if there is none.
const LinkCause* linkCauseIn(const metrics::Port& port, const std::vector<model::Interval>& spans)
{
    const std::vector<model::Interval> moved = merged(spans);
    for (const LinkCause& cause : kLinkCauses) {
        if (std::ranges::any_of(movedIn(port, cause.metrics),
                                [&](const model::Interval& each) { return overlapsAny(moved, each); })) {
            return &cause;
        }
    }
    return nullptr;
}

} // namespace

void addCause(const metrics::Port& port, const std::vector<model::Interval>& spans, Finding& finding)
{
    const LinkCause* const cause = linkCauseIn(port, spans);
    finding.title += cause != nullptr ? say(words::link_cause::points_to, {{"cause", *cause->what}})
                                      : words::link_cause::nothing;
}

} // namespace ringside::rules
