// SPDX-License-Identifier: Apache-2.0
// Finds Xid events that the driver reported: faults of the GPU, its link, or the program on it.
#include "words/xid_errors.h"

#include "rules/shared/conditions.h"
#include "rules/shared/xid_words.h"

#include <algorithm>

namespace ringside::rules::rule_xid_errors {
namespace {

namespace text = words::xid_errors;

/// How bad one is, for the choice of the one that is described.
auto weightOf(const conditions::SampleValue& event)
{
    const trace::XidEntry entry = xidEntryOf(event.value);
    return std::pair(entry.restart, entry.hardware);
}

Finding describe(const Context& context, const conditions::Subject& gpu, Severity severity)
{
    const auto& events = gpu.values.at("xid");
    const conditions::SampleValue& event = *std::ranges::max_element(events, {}, weightOf);
    const trace::XidEntry entry = xidEntryOf(event.value);
    Finding finding;
    finding.broken = trace::isFatalXid(event.value);
    finding.severity = severity;
    finding.limit = Limit::Nothing;
    finding.title = say(
        text::title, {{"who", gpusText(context, {&gpu})}, {"xid", event.value}, {"meaning", entry.meaning}});
    if (events.size() > 1) {
        finding.title += say(text::more, {{"more", events.size() - 1}});
    }
    finding.figures = {{"xid", Unit::Count, static_cast<double>(event.value), {}},
                       {"events", Unit::Count, static_cast<double>(events.size()), 0}};
    addPlace(context, gpu, {event.timeNs, event.timeNs}, say(text::event, {{"xid", event.value}}), finding);
    finding.advice = say(text::remedy, {{"what", xidAdvice(entry)}});
    return finding;
}

Outcome run(const Context& context)
{
    if (context.figures.gpus.empty()) { // the series of the event exists only after the first event
        return NotApplicable{words::device_samples::needs_nvml};
    }
    std::vector<Finding> findings;
    for (const conditions::Subject& gpu : context.figures.gpus) {
        const auto held = conditions::judge(gpu, conditions::conditionsOf("xid_errors"), limitsOf(context));
        if (!held.empty()) {
            findings.push_back(describe(context, gpu, held.front().severity));
        }
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(xid_errors, .title = text::heading, .needs = {{"sampled"}, " (nvml)"}, .options = {},
              .run = run, .help = text::help);

} // namespace ringside::rules::rule_xid_errors
