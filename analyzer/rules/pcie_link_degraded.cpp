// SPDX-License-Identifier: Apache-2.0
// Finds PCIe links of GPUs with fewer lanes or a lower generation than GPU and slot support, by the table of
// conditions, and network cards whose PCIe link carries less than their port. RDMA ports belong to
// rdma_rate_low.
#include "words/pcie_link_degraded.h"

#include "rules/shared/conditions.h"
#include "rules/shared/sockets.h"
#include "words/span.h"

#include <algorithm>
#include <iterator>

namespace ringside::rules::rule_pcie_link_degraded {
namespace {

namespace text = words::pcie_link_degraded;

/// Adds findings for cards of interfaces that are up. Returns true if the link of any card was sampled.
bool checkCards(const Context& context, std::vector<Finding>& findings)
{
    bool known = false;
    for (const SocketHost& host : socketHosts(context)) {
        for (const auto& [name, card] : host.interfaces) {
            if (card.pcieMbps == 0 || card.mbps == 0 || !card.up) {
                continue;
            }
            known = true;
            if (card.pcieMbps >= card.mbps) {
                continue;
            }
            Finding finding;
            finding.severity = card.sentBytes >= kGradientBytes ? Severity::Problem : Severity::Info;
            finding.limit = Limit::Link;
            finding.links = {host.name + " " + name};
            finding.title = say(text::card, {{"card", name},
                                             {"host", host.name},
                                             {"rate", static_cast<double>(card.mbps) / 1000},
                                             {"pcie", static_cast<double>(card.pcieMbps) / 1000}});
            finding.figures = {{"part_of_rate", Unit::Share,
                                static_cast<double>(card.pcieMbps) / static_cast<double>(card.mbps), 1.0}};
            addEvidence(context, host, words::span::host_run, finding);
            finding.advice = text::remedy_card;
            findings.push_back(std::move(finding));
        }
    }
    return known;
}

Outcome run(const Context& context)
{
    Outcome outcome = rowFindings(context, {.rule = "pcie_link_degraded",
                                            .title = &text::title,
                                            .limit = Limit::Link,
                                            .per = Per::Rule,
                                            .span = {},
                                            .missing = {text::not_measured}});
    std::vector<Finding> cards;
    if (checkCards(context, cards) && std::holds_alternative<NotApplicable>(outcome)) {
        outcome = std::vector<Finding>{};
    }
    if (auto* const findings = std::get_if<std::vector<Finding>>(&outcome)) {
        std::ranges::move(cards, std::back_inserter(*findings));
    }
    return outcome;
}

} // namespace

RINGSIDE_RULE(pcie_link_degraded, .title = text::heading, .needs = {{"sampled"}, " (nvml, host_network)"},
              .options = {}, .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_pcie_link_degraded
