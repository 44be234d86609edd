// SPDX-License-Identifier: Apache-2.0
// Finds what a kernel's log says of links, modules, PCIe and GPUs. The log is given to `ringside links
// --from`; the collector does not read it, because that takes rights that a job does not have.
#include "rules/shared/support.h"
#include "rules/shared/xid_words.h"
#include "trace/vocabulary/kernel_event.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>

namespace ringside::rules::rule_kernel_events {
namespace {

using trace::KernelEvent;

/// How bad a kind of message is, and what to do. Sources: gpud's and NVSentinel's lists of messages for which
/// they page (module heat, firmware, fatal PCIe errors), OCI's check of links that were lost, PCIe's
/// definition of its three severities. Power of the slot: gpud pages, NVIDIA calls it harmless on machines
/// whose slots do not tell their power, so it informs.
struct Kind {
    KernelEvent event;
    Severity severity;
    std::string_view words;
    std::string_view advice;
};
constexpr std::array<Kind, 8> kKinds{{
    {KernelEvent::LinkDown, Severity::Warning, "lost its link",
     "Compare with the switch's log at that time. Check cable, module and the switch's port; a link that is "
     "lost while a driver is loaded or an interface is configured is no fault."},
    {KernelEvent::SlotPower, Severity::Info, "says that its PCIe slot gives too little power",
     "Look whether it reaches its rate (`ringside probe`): some machines do not tell the power of their "
     "slots, "
     "and then nothing is wrong. Else check the slot and the power cables of the board."},
    {KernelEvent::ModuleHeat, Severity::Problem, "or its module is too hot",
     "Check air flow and fans, and the temperature (`ethtool -m`, `mlxlink -m`). A port with a hot module is "
     "switched off."},
    {KernelEvent::ModuleError, Severity::Warning, "cannot use the module in its port",
     "Reseat the module or the cable, then replace it."},
    {KernelEvent::FirmwareError, Severity::Problem, "does not answer, or its firmware failed",
     "Drain the node and restart it; update the adapter's firmware. If it comes back, replace the adapter."},
    {KernelEvent::PcieCorrected, Severity::Info, "has PCIe errors that were corrected",
     "They cost bandwidth only if they are many: `lspci -vv` (LnkSta) shows whether the link lost width or "
     "speed."},
    {KernelEvent::PcieUncorrected, Severity::Warning, "has PCIe errors that were not corrected",
     "Reseat the card and its riser; look at what the device did at that time."},
    {KernelEvent::PcieFatal, Severity::Problem, "has fatal PCIe errors",
     "Drain the node and power it off and on. Reseat the card and its riser; if it comes back, replace "
     "them."},
}};

/// All messages of a kind about a device.
struct Events {
    const trace::ProcessTrace* process = nullptr;
    const trace::SeriesRow* series = nullptr;
    std::vector<metrics::SampleValue> samples; ///< on the host's clock; the value is the id of the line
};

std::vector<Events> eventsOf(const model::Model& run)
{
    std::vector<Events> all;
    for (const trace::ProcessTrace& process : run.trace.processes) {
        for (const trace::SeriesRow& series : process.series) {
            if (series.source.text() != trace::kKernelLog) {
                continue;
            }
            Events events{&process, &series, {}};
            for (std::size_t i = 0; i < process.samples.size(); ++i) {
                if (process.samples.series[i] == static_cast<std::uint32_t>(series.id)) {
                    events.samples.push_back({process.samples.timeNs[i], process.samples.value[i]});
                }
            }
            all.push_back(std::move(events));
        }
    }
    return all;
}

std::string_view lineOf(const Events& events, std::size_t index)
{
    return events.process->text(static_cast<trace::StringId>(events.samples[index].value));
}

/// Reads 79 of "NVRM: Xid (PCI:0000:3b:00): 79, pid=...".
std::optional<std::int64_t> xidIn(std::string_view line)
{
    const std::size_t at = line.find("Xid (");
    const std::size_t after = at == std::string_view::npos ? at : line.find("): ", at);
    if (after == std::string_view::npos) {
        return std::nullopt;
    }
    constexpr std::size_t kMark = 3;
    std::string_view rest = line.substr(after + kMark);
    return values::takeNumber<std::int64_t>(rest);
}

/// Returns a recorded rank on the host that wrote the log, for evidence. Without one, times mean nothing to
/// the run.
const model::Rank* rankOn(const model::Model& run, const trace::ProcessTrace& process)
{
    for (const model::Rank& rank : run.ranks) {
        const trace::ProcessRow& row = run.processOf(rank).process;
        if (row.host == process.process.host && row.bootId == process.process.bootId &&
            !run.processOf(rank).ranks.empty()) {
            return &rank;
        }
    }
    return nullptr;
}

/// Names the port that has this PCI address or interface, or the device as the log calls it.
std::string deviceText(const Context& context, const Events& events)
{
    const std::string& device = events.series->entity;
    for (const metrics::Port& port : context.figures.ports) {
        if (port.host == events.process->process.host &&
            (port.fact("pci") == device || port.fact("netdev") == device)) {
            return fmt::format("{} {} ({})", port.host, port.name, device);
        }
    }
    return fmt::format("{} {}", events.process->process.host, device.empty() ? "a device" : device);
}

/// The first message: when in the run, and the line.
std::string firstText(const Context& context, const Events& events)
{
    constexpr double kNsPerS = 1e9;
    const model::Rank* const rank = rankOn(context.run, *events.process);
    const std::string when =
        rank == nullptr
            ? std::string()
            : fmt::format("{:.1f} s into the run, ",
                          static_cast<double>(rank->clock.toRun(events.samples.front().timeNs)) / kNsPerS);
    return fmt::format("{}{}\"{}\"", events.samples.size() > 1 ? "first " : "", when, lineOf(events, 0));
}

void addEvidence(const Context& context, const Events& events, Finding& finding)
{
    if (const model::Rank* const rank = rankOn(context.run, *events.process)) {
        finding.evidence.push_back({rank->rank, rank->clock.toRun(events.samples.front().timeNs),
                                    rank->clock.toRun(events.samples.back().timeNs),
                                    "from the first to the last such message"});
    }
}

Finding describe(const Context& context, const Events& events, const Kind& kind)
{
    Finding finding;
    finding.severity = kind.severity;
    finding.limit = Limit::Link;
    finding.title = fmt::format("The kernel's log: {} {}{}: {}", deviceText(context, events), kind.words,
                                events.samples.size() > 1 ? fmt::format(" {} times", events.samples.size())
                                                          : std::string(),
                                firstText(context, events));
    finding.advice = kind.advice;
    return finding;
}

Finding describeXid(const Context& context, const Events& events)
{
    trace::XidEntry worst{0, "unknown"};
    for (std::size_t i = 0; i < events.samples.size(); ++i) {
        const trace::XidEntry entry = xidEntryOf(xidIn(lineOf(events, i)).value_or(0));
        if (i == 0 || std::pair(entry.restart, entry.hardware) > std::pair(worst.restart, worst.hardware)) {
            worst = entry;
        }
    }
    Finding finding;
    finding.severity = xidSeverity(worst);
    finding.title =
        fmt::format("The kernel's log: the GPU {} reported Xid {}: {}{}; {}", deviceText(context, events),
                    worst.number, worst.meaning,
                    events.samples.size() > 1 ? fmt::format(", the worst of {}", events.samples.size()) : "",
                    firstText(context, events));
    finding.advice = xidAdvice(worst);
    return finding;
}

Outcome run(const Context& context)
{
    const std::vector<Events> all = eventsOf(context.run);
    if (all.empty()) {
        return NotApplicable{"needs the kernel's log of a host: `ringside links RUN --from FILE`"};
    }
    std::vector<Finding> findings;
    for (const Events& events : all) {
        const std::string_view word = events.series->metric.text();
        const auto* const kind =
            std::ranges::find_if(kKinds, [&](const Kind& each) { return wordOf(each.event) == word; });
        if (events.samples.empty() || (kind == kKinds.end() && word != wordOf(KernelEvent::Xid))) {
            continue; // that a link came back is no finding
        }
        Finding finding =
            kind == kKinds.end() ? describeXid(context, events) : describe(context, events, *kind);
        finding.figures = {{"messages", Unit::Count, static_cast<double>(events.samples.size()), {}}};
        finding.links = {fmt::format("{} {}", events.process->process.host, events.series->entity)};
        addEvidence(context, events, finding);
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(kernel_events, .title = "The kernel's log reports a fault of a link or a GPU",
              .needs = "a kernel's log (links --from)", .options = {}, .run = run,
              .help =
                  "Messages of a kernel's log, which `ringside links --from FILE` reads: links that were "
                  "lost, hot or failing modules, firmware of adapters, power of a slot, PCIe errors (AER), "
                  "Xids. Beside a run only messages of its time count. dmesg's time since boot drifts "
                  "against the run's clock, by seconds in a day; `journalctl -k -o short-iso-precise` "
                  "does not, and names the host.",
              .checksLinks = true);

} // namespace ringside::rules::rule_kernel_events
