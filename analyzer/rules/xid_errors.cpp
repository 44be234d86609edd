// SPDX-License-Identifier: Apache-2.0
// Finds Xid events that the driver reported: faults of the GPU, its link, or the program on it.
#include "words/xid_errors.h"

#include "conditions/readings.h"
#include "rules/shared/device_samples.h"
#include "rules/shared/xid_words.h"

#include <algorithm>
#include <array>

namespace ringside::rules::rule_xid_errors {
namespace {

namespace text = words::xid_errors;

/// How bad one is, for the choice of the one that is described.
auto weightOf(const metrics::SampleValue& event)
{
    const trace::XidEntry entry = xidEntryOf(event.value);
    return std::pair(entry.restart, entry.hardware);
}

Finding describe(const model::Rank& rank, const metrics::SampleValue& event, std::size_t count)
{
    const trace::XidEntry entry = xidEntryOf(event.value);
    Finding finding;
    finding.broken = trace::isFatalXid(event.value);
    finding.severity = conditions::xidSeverity(event.value);
    finding.limit = Limit::Nothing;
    finding.ranks = {rank.rank};
    finding.title = say(text::title, {{"rank", rank.rank}, {"xid", event.value}, {"meaning", entry.meaning}});
    if (count > 1) {
        finding.title += say(text::more, {{"more", count - 1}});
    }
    finding.figures = {{"xid", Unit::Count, static_cast<double>(event.value), {}},
                       {"events", Unit::Count, static_cast<double>(count), 0}};
    finding.evidence = {evidence(rank, model::Interval{event.timeNs, event.timeNs},
                                 say(text::event, {{"xid", event.value}}))};
    finding.advice = say(text::remedy, {{"what", words::Text(xidAdvice(entry))}});
    return finding;
}

Outcome run(const Context& context)
{
    if (context.figures.gpus.empty()) { // the series of the event exists only after the first event
        return kNeedsNvml;
    }
    std::vector<Finding> findings;
    for (const model::Rank& rank : context.run.ranks) {
        const auto events = gpuSamples(context, rank, "xid");
        if (events.empty()) {
            continue;
        }
        findings.push_back(describe(rank, *std::ranges::max_element(events, {}, weightOf), events.size()));
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(xid_errors, .title = text::heading, .needs = {{"sampled"}, " (nvml)"}, .options = {},
              .run = run, .help = text::help);

} // namespace ringside::rules::rule_xid_errors
