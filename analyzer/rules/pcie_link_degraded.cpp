// SPDX-License-Identifier: Apache-2.0
// Finds PCIe links of GPUs with fewer lanes or a lower generation than GPU and slot support, and network
// cards whose PCIe link carries less than their port. An idle GPU lowers its generation by itself, so the
// highest sampled generation counts; it does not give up lanes. RDMA ports belong to rdma_rate_low.
#include "words/pcie_link_degraded.h"

#include "rules/shared/sockets.h"
#include "words/span.h"

#include <cmath>

namespace ringside::rules::rule_pcie_link_degraded {
namespace {

namespace text = words::pcie_link_degraded;

struct Link {
    const model::Rank* rank = nullptr;
    std::int64_t lanes = 0;
    std::int64_t mostLanes = 0;
    std::int64_t generation = 0;
    std::int64_t mostGeneration = 0;

    [[nodiscard]] bool isNarrow() const { return lanes < mostLanes; }
    [[nodiscard]] bool isSlow() const { return generation < mostGeneration; }
    /// Share of the possible rate. Each generation doubles the rate.
    [[nodiscard]] double part() const
    {
        return static_cast<double>(lanes) / static_cast<double>(mostLanes) *
               std::exp2(static_cast<double>(generation - mostGeneration));
    }
};

std::optional<Link> linkOf(const Context& context, const model::Rank& rank)
{
    const auto lanes = gpuSamples(context, rank, "pcie_lanes");
    const auto mostLanes = gpuSamples(context, rank, "pcie_lanes_max");
    const auto generations = gpuSamples(context, rank, "pcie_generation");
    const auto mostGeneration = gpuSamples(context, rank, "pcie_generation_max");
    if (lanes.empty() || mostLanes.empty() || generations.empty() || mostGeneration.empty()) {
        return std::nullopt;
    }
    std::int64_t generation = 0;
    for (const metrics::SampleValue& sample : generations) {
        generation = std::max(generation, sample.value);
    }
    constexpr std::int64_t kMost = 64; // lanes or generations; more is a damaged value
    const Link link{&rank, lanes.back().value, mostLanes.back().value, generation,
                    mostGeneration.back().value};
    const auto isSane = [](std::int64_t value) { return value > 0 && value <= kMost; };
    const bool sane = isSane(link.lanes) && isSane(link.mostLanes) && isSane(link.generation) &&
                      isSane(link.mostGeneration);
    return sane ? std::optional(link) : std::nullopt;
}

words::Text textOf(const Link& link)
{
    const words::Text lanes = say(text::lanes, {{"lanes", link.lanes}, {"most", link.mostLanes}});
    const words::Text generation =
        say(text::generation, {{"generation", link.generation}, {"most", link.mostGeneration}});
    return !link.isSlow()     ? lanes
           : !link.isNarrow() ? generation
                              : say(text::both, {{"lanes", lanes}, {"generation", generation}});
}

/// Adds a finding if the link of a GPU is degraded. Returns true if any GPU's link was sampled.
bool checkGpus(const Context& context, std::vector<Finding>& findings)
{
    Finding finding;
    bool known = false;
    std::optional<Link> worst;
    for (const model::Rank& rank : context.run.ranks) {
        const auto link = linkOf(context, rank);
        known = known || link;
        if (!link || !(link->isNarrow() || link->isSlow())) {
            continue;
        }
        finding.ranks.push_back(rank.rank);
        finding.evidence.push_back(evidence(rank, gpuSamples(context, rank, "pcie_lanes"),
                                            say(text::its_link, {{"what", textOf(*link)}})));
        finding.severity =
            std::max(finding.severity, link->isNarrow() ? Severity::Problem : Severity::Warning);
        worst = !worst || link->part() < worst->part() ? link : worst;
    }
    if (!worst) {
        return known;
    }
    finding.limit = Limit::Link;
    finding.title = say(text::title, {{"rank", worst->rank->rank}, {"what", textOf(*worst)}});
    if (finding.ranks.size() > 1) {
        finding.title += say(text::more, {{"more", finding.ranks.size() - 1}});
    }
    finding.figures = {{"part_of_rate", Unit::Share, worst->part(), 1.0}};
    finding.advice = text::remedy_gpu;
    findings.push_back(std::move(finding));
    return known;
}

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
    std::vector<Finding> findings;
    const bool gpus = checkGpus(context, findings);
    const bool cards = checkCards(context, findings);
    if (!gpus && !cards) {
        return NotApplicable{text::not_measured};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(pcie_link_degraded, .title = text::heading, .needs = {{"sampled"}, " (nvml, host_network)"},
              .options = {}, .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_pcie_link_degraded
