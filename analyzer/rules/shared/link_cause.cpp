// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/link_cause.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::rules {
namespace {

/// Returns the first cause of which a counter increased within the spans; null if there is none.
const LinkCause* linkCauseIn(const metrics::Port& port, const std::vector<model::Interval>& spans)
{
    const std::vector<model::Interval> moved = merged(spans);
    for (const LinkCause& cause : kLinkCauses) {
        for (const trace::SeriesMetric& metric : cause.metrics) {
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
    finding.title += cause != nullptr
                         ? fmt::format("; the counters that increased at that time point to {}", cause->words)
                         : std::string("; no other counter that would show the cause increased at that time");
}

} // namespace ringside::rules
