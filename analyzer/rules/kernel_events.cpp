// SPDX-License-Identifier: Apache-2.0
// Finds what a kernel's log says of links, modules, PCIe and GPUs. The log is given to `ringside links
// --from`; the collector does not read it, because that takes rights that a job does not have.
#include "words/kernel_events.h"

#include "rules/shared/support.h"
#include "rules/shared/xid_words.h"
#include "trace/vocabulary/kernel_event.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>

namespace ringside::rules::rule_kernel_events {
namespace {

namespace text = words::kernel_events;

using trace::KernelEvent;

/// How bad a kind of message is, and what to do. Sources: gpud's and NVSentinel's lists of messages for which
/// they page (module heat, firmware, fatal PCIe errors), OCI's check of links that were lost, PCIe's
/// definition of its three severities. Power of the slot: gpud pages, NVIDIA calls it harmless on machines
/// whose slots do not tell their power, so it informs.
struct Kind {
    KernelEvent event;
    Severity severity;
    const words::Template* what;
    const words::Template* remedy;
};
constexpr std::array<Kind, 8> kKinds{{
    {KernelEvent::LinkDown, Severity::Warning, &text::link_down, &text::link_down_remedy},
    {KernelEvent::SlotPower, Severity::Info, &text::slot_power, &text::slot_power_remedy},
    {KernelEvent::ModuleHeat, Severity::Problem, &text::module_heat, &text::module_heat_remedy},
    {KernelEvent::ModuleError, Severity::Warning, &text::module_error, &text::module_error_remedy},
    {KernelEvent::FirmwareError, Severity::Problem, &text::firmware, &text::firmware_remedy},
    {KernelEvent::PcieCorrected, Severity::Info, &text::pcie_corrected, &text::pcie_corrected_remedy},
    {KernelEvent::PcieUncorrected, Severity::Warning, &text::pcie_uncorrected,
     &text::pcie_uncorrected_remedy},
    {KernelEvent::PcieFatal, Severity::Problem, &text::pcie_fatal, &text::pcie_fatal_remedy},
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
words::Text deviceText(const Context& context, const Events& events)
{
    const std::string& device = events.series->entity;
    for (const metrics::Port& port : context.figures.ports) {
        if (port.host == events.process->process.host &&
            (port.fact("pci") == device || port.fact("netdev") == device)) {
            return say(text::port, {{"host", port.host}, {"port", port.name}, {"device", device}});
        }
    }
    return say(device.empty() ? text::some_device : text::device,
               {{"host", events.process->process.host}, {"device", device}});
}

/// The first message: when in the run, and the line.
words::Text firstText(const Context& context, const Events& events)
{
    constexpr double kNsPerS = 1e9;
    const model::Rank* const rank = rankOn(context.run, *events.process);
    const words::Text none;
    const words::Text when =
        rank == nullptr
            ? none
            : say(text::when,
                  {{"seconds",
                    static_cast<double>(rank->clock.toRun(events.samples.front().timeNs)) / kNsPerS}});
    return say(text::line, {{"first", events.samples.size() > 1 ? text::first : none},
                            {"when", when},
                            {"line", lineOf(events, 0)}});
}

void addEvidence(const Context& context, const Events& events, Finding& finding)
{
    if (const model::Rank* const rank = rankOn(context.run, *events.process)) {
        finding.evidence.push_back({rank->rank, rank->clock.toRun(events.samples.front().timeNs),
                                    rank->clock.toRun(events.samples.back().timeNs), text::span});
    }
}

Finding describe(const Context& context, const Events& events, const Kind& kind)
{
    Finding finding;
    finding.severity = kind.severity;
    finding.limit = Limit::Link;
    const std::size_t times = events.samples.size();
    finding.title =
        say(text::title, {{"device", deviceText(context, events)},
                          {"what", *kind.what},
                          {"times", times > 1 ? say(text::times, {{"times", times}}) : words::Text()},
                          {"first", firstText(context, events)}});
    finding.advice = *kind.remedy;
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
    const std::size_t count = events.samples.size();
    finding.title =
        say(text::xid, {{"device", deviceText(context, events)},
                        {"xid", worst.number},
                        {"meaning", worst.meaning},
                        {"worst", count > 1 ? say(text::worst, {{"events", count}}) : words::Text()},
                        {"first", firstText(context, events)}});
    finding.advice = xidAdvice(worst);
    return finding;
}

Outcome run(const Context& context)
{
    const std::vector<Events> all = eventsOf(context.run);
    if (all.empty()) {
        return NotApplicable{text::needs_log};
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
        finding.links = {events.process->process.host + " " + events.series->entity};
        addEvidence(context, events, finding);
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(kernel_events, .title = text::heading, .needs = {{}, "a kernel's log (links --from)"},
              .options = {}, .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_kernel_events
