// SPDX-License-Identifier: Apache-2.0
// Finds Xid events that the driver reported: faults of the GPU, its link, or the program on it.
#include "rules/shared/device_samples.h"

#include <ringside/trace/xid.h>

#include <algorithm>
#include <array>

namespace ringside::rules::rule_xid_errors {
namespace {

/// Returns what to do before the GPU is used again.
std::string_view restartText(trace::XidRestart restart)
{
    switch (restart) {
    case trace::XidRestart::Nothing:
        return "Nothing has to restart";
    case trace::XidRestart::Untold:
        return "NVIDIA's catalogue names no action for it yet: look at the Xids beside it and at the kernel "
               "log";
    case trace::XidRestart::Job:
        return "Restart the job; the GPU can stay in use";
    case trace::XidRestart::GpuLater:
        return "Reset the GPU when the job is over (`nvidia-smi --gpu-reset`)";
    case trace::XidRestart::Gpu:
        return "Drain the node and reset the GPU before it is used again (`nvidia-smi --gpu-reset`)";
    case trace::XidRestart::Host:
        return "Drain the node and restart the host, with a power cycle if the GPU is still missing";
    }
    return "";
}

/// Returns who is to blame, and how to find out.
std::string_view suspectText(trace::XidHardware hardware)
{
    switch (hardware) {
    case trace::XidHardware::None:
        return "It is no fault by itself";
    case trace::XidHardware::Unlikely:
        return "The program or the driver usually causes it: run the rank under `compute-sanitizer`. If it "
               "follows the GPU and not the program, it is hardware";
    case trace::XidHardware::Possible:
        return "Hardware, driver or program may be at fault: if it comes back on this GPU with another "
               "program, run `dcgmi diag -r 3` and contact support";
    case trace::XidHardware::Likely:
        return "Hardware is the likely cause: run `dcgmi diag -r 3`, and replace the GPU or its board if it "
               "comes back";
    }
    return "";
}

/// The catalogue's entry; that of a number it does not list says so.
trace::XidEntry entryOf(std::int64_t xid)
{
    const trace::XidEntry* const entry = trace::findXid(xid);
    return entry != nullptr ? *entry : trace::XidEntry{xid, "not in NVIDIA's catalogue"};
}

/// How bad one is, for the choice of the one that is described.
auto weightOf(const metrics::SampleValue& event)
{
    const trace::XidEntry entry = entryOf(event.value);
    return std::pair(entry.restart, entry.hardware);
}

Severity severityOf(const trace::XidEntry& entry)
{
    return trace::isFatalXid(entry.number)              ? Severity::Problem
           : entry.hardware == trace::XidHardware::None ? Severity::Info
                                                        : Severity::Warning;
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
    const trace::XidEntry entry = entryOf(event.value);
    Finding finding;
    finding.broken = trace::isFatalXid(event.value);
    finding.severity = severityOf(entry);
    finding.limit = Limit::Nothing;
    finding.ranks = {rank.rank};
    finding.title = fmt::format("The GPU of rank {} reported Xid {}: {}{}", rank.rank, event.value,
                                entry.meaning, count > 1 ? fmt::format("; and {} more", count - 1) : "");
    finding.figures = {{"xid", Unit::Count, static_cast<double>(event.value), {}},
                       {"events", Unit::Count, static_cast<double>(count), 0}};
    finding.evidence = {
        evidence(rank, model::Interval{event.timeNs, event.timeNs}, fmt::format("Xid {}", event.value))};
    finding.advice = fmt::format("{}. {}. `dmesg | grep Xid` on that host has the details.",
                                 restartText(entry.restart), suspectText(entry.hardware));
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
