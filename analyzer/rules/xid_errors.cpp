// SPDX-License-Identifier: Apache-2.0
// Finds Xid events that the driver reported: faults of the GPU, its link, or the program on it.
#include "rules/shared/device_samples.h"

#include <ringside/trace/xid.h>

#include <algorithm>
#include <array>

namespace ringside::rules::rule_xid_errors {
namespace {

/// Returns true for errors that the program usually causes; others are hardware or driver faults.
bool isProgram(std::int64_t xid)
{
    constexpr std::array<std::int64_t, 4> kProgram = {13, 31, 43, 45};
    return std::find(kProgram.begin(), kProgram.end(), xid) != kProgram.end();
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
    Finding finding;
    finding.broken = trace::isFatalXid(event.value);
    finding.severity = finding.broken ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Nothing;
    finding.ranks = {rank.rank};
    finding.title = fmt::format("The GPU of rank {} reported Xid {}{}", rank.rank, event.value,
                                count > 1 ? fmt::format(", and {} more", count - 1) : "");
    finding.figures = {{"xid", Unit::Count, static_cast<double>(event.value), {}},
                       {"events", Unit::Count, static_cast<double>(count), 0}};
    finding.evidence = {
        evidence(rank, model::Interval{event.timeNs, event.timeNs}, fmt::format("Xid {}", event.value))};
    finding.advice =
        isProgram(event.value)
            ? "The program usually causes this kind (an access outside its memory, a killed process): run "
              "the rank under `compute-sanitizer`. If it follows the GPU and not the program, it is hardware."
            : "Check `dmesg | grep Xid` on that host and NVIDIA's list of Xid errors. Drain the node and "
              "reset the GPU before it is used again.";
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
        const auto fatal = std::find_if(events.begin(), events.end(), [](const metrics::SampleValue& event) {
            return trace::isFatalXid(event.value);
        });
        findings.push_back(describe(rank, fatal != events.end() ? *fatal : events.front(), events.size()));
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(xid_errors, .title = "The driver reported a fault of a GPU", .needs = "sampled (nvml)",
              .options = {}, .run = run,
              .help = "Xid events while the run was recorded. All are reported; those after which a GPU or "
                      "its work is lost are problems. The cost is not estimated.");

} // namespace ringside::rules::rule_xid_errors
