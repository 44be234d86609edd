// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/link_cause.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::rules {
namespace {

/// Null: none of them moved in these spans.
const LinkCause* linkCauseIn(const metrics::Port& port, const std::vector<model::Interval>& spans)
{
    const std::vector<model::Interval> moved = merged(spans);
    for (const LinkCause& cause : kLinkCauses) {
        for (const std::string_view metric : cause.metrics) {
            for (const metrics::Gain& each : port.gains(metric)) {
                if (each.gain > 0 && overlapsAny(moved, each.between)) {
                    return &cause;
                }
            }
        }
    }
    return nullptr;
}

} // namespace

void addCause(const metrics::Port& port, const std::vector<model::Interval>& spans, Finding& finding)
{
    const LinkCause* const cause = linkCauseIn(port, spans);
    finding.title += cause != nullptr ? fmt::format("; what moved at that time speaks of {}", cause->words)
                                      : std::string("; nothing else moved at that time that would say where");
}

} // namespace ringside::rules
