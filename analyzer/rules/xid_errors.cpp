// SPDX-License-Identifier: Apache-2.0
// Finds Xid events that the driver reported: faults of the GPU, its link, or the program on it.
#include "rules/shared/device_samples.h"
#include "rules/shared/xid_words.h"

#include <algorithm>
#include <array>

namespace ringside::rules::rule_xid_errors {
namespace {

/// How bad one is, for the choice of the one that is described.
auto weightOf(const metrics::SampleValue& event)
{
    const trace::XidEntry entry = xidEntryOf(event.value);
    return std::pair(entry.restart, entry.hardware);
}

bool wasSampled(const Context& context)
{
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        for (const trace::SeriesRow& series : process.series) {
            if (series.source == "nvml") {
                return true; // the series of the event exists only after the first event
            }
        }
    }
    return false;
}

Finding describe(const model::Rank& rank, const metrics::SampleValue& event, std::size_t count)
{
    const trace::XidEntry entry = xidEntryOf(event.value);
    Finding finding;
    finding.broken = trace::isFatalXid(event.value);
    finding.severity = xidSeverity(entry);
    finding.limit = Limit::Nothing;
    finding.ranks = {rank.rank};
    finding.title = fmt::format("The GPU of rank {} reported Xid {}: {}{}", rank.rank, event.value,
                                entry.meaning, count > 1 ? fmt::format("; and {} more", count - 1) : "");
    finding.figures = {{"xid", Unit::Count, static_cast<double>(event.value), {}},
                       {"events", Unit::Count, static_cast<double>(count), 0}};
    finding.evidence = {
        evidence(rank, model::Interval{event.timeNs, event.timeNs}, fmt::format("Xid {}", event.value))};
    finding.advice = xidAdvice(entry) + " `dmesg | grep Xid` on that host has the details.";
    return finding;
}

Outcome run(const Context& context)
{
    if (!wasSampled(context)) {
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

RINGSIDE_RULE(xid_errors, .title = "The driver reported a fault of a GPU", .needs = "sampled (nvml)",
              .options = {}, .run = run,
              .help = "Xid events while the run was recorded, with the meaning, the action and the suspect "
                      "that NVIDIA's catalogue names. Those after which the GPU must be reset are problems, "
                      "those that are no faults information. The cost is not estimated.");

} // namespace ringside::rules::rule_xid_errors
