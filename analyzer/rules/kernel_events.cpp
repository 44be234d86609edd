// SPDX-License-Identifier: Apache-2.0
// Finds what a kernel's log says of links, modules, PCIe and GPUs. The log is given to `ringside links
// --from`; the collector does not read it, because that takes rights that a job does not have.
#include "words/kernel_events.h"

#include "conditions/readings.h"
#include "rules/shared/log_events.h"
#include "rules/shared/xid_words.h"
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
constexpr std::array<LogKind, 8> kKinds{{
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

Finding describe(const Context& context, const LogEvents& events, const LogKind& kind)
{
    Finding finding = logFinding(context, events, text::title, *kind.what);
    finding.severity = kind.severity;
    finding.advice = *kind.remedy;
    return finding;
}

Finding describeXid(const Context& context, const LogEvents& events)
{
    trace::XidEntry worst{0, "unknown"};
    for (std::size_t i = 0; i < events.samples.size(); ++i) {
        const trace::XidEntry entry = xidEntryOf(xidIn(lineOf(events, i)).value_or(0));
        if (i == 0 || std::pair(entry.restart, entry.hardware) > std::pair(worst.restart, worst.hardware)) {
            worst = entry;
        }
    }
    const std::size_t count = events.samples.size();
    Finding finding = logFinding(
        context, events, text::xid,
        say(text::xid_is, {{"xid", worst.number},
                           {"meaning", worst.meaning},
                           {"worst", count > 1 ? say(text::worst, {{"events", count}}) : words::Text()}}));
    finding.severity = conditions::xidSeverity(worst.number);
    finding.advice = xidAdvice(worst);
    return finding;
}

Outcome run(const Context& context)
{
    const std::vector<LogEvents> all = logEventsOf(context.run);
    if (all.empty()) {
        return NotApplicable{text::needs_log};
    }
    std::vector<Finding> findings;
    for (const LogEvents& events : all) {
        const std::string_view word = events.series->metric.text();
        const auto* const kind =
            std::ranges::find_if(kKinds, [&](const LogKind& each) { return wordOf(each.event) == word; });
        if (events.samples.empty() || (kind == kKinds.end() && word != wordOf(KernelEvent::Xid))) {
            continue; // that a link came back is no finding
        }
        findings.push_back(kind == kKinds.end() ? describeXid(context, events)
                                                : describe(context, events, *kind));
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(kernel_events, .title = text::heading, .needs = {{}, "a kernel's log (links --from)"},
              .options = {}, .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_kernel_events
