// SPDX-License-Identifier: Apache-2.0
// A GPU's PCIe link has fewer lanes, or a lower generation, than the GPU and its slot can. An idle GPU lowers
// its generation by itself, so that the highest one seen counts; lanes it does not give up.
#include "rules/device_samples.h"

#include <cmath>

namespace ringside::rules {
namespace {

struct Link {
    const model::Rank* rank = nullptr;
    std::int64_t lanes = 0;
    std::int64_t mostLanes = 0;
    std::int64_t generation = 0;
    std::int64_t mostGeneration = 0;

    [[nodiscard]] bool isNarrow() const { return lanes < mostLanes; }
    [[nodiscard]] bool isSlow() const { return generation < mostGeneration; }
    /// Of the rate that it could have; each generation doubles it.
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
    constexpr std::int64_t kMost = 64; // lanes or generations: more is damage
    const Link link{&rank, lanes.back().value, mostLanes.back().value, generation,
                    mostGeneration.back().value};
    const auto isSane = [](std::int64_t value) { return value > 0 && value <= kMost; };
    const bool sane = isSane(link.lanes) && isSane(link.mostLanes) && isSane(link.generation) &&
                      isSane(link.mostGeneration);
    return sane ? std::optional(link) : std::nullopt;
}

std::string textOf(const Link& link)
{
    const std::string lanes =
        link.isNarrow() ? fmt::format("has {} of its {} lanes", link.lanes, link.mostLanes) : "";
    const std::string generation =
        link.isSlow() ? fmt::format("runs at generation {} of {}", link.generation, link.mostGeneration) : "";
    return lanes + (lanes.empty() || generation.empty() ? "" : " and ") + generation;
}

Outcome run(const Context& context)
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
                                            fmt::format("its PCIe link {}", textOf(*link))));
        finding.severity =
            std::max(finding.severity, link->isNarrow() ? Severity::Problem : Severity::Warning);
        worst = !worst || link->part() < worst->part() ? link : worst;
    }
    if (!known) {
        return NotApplicable{
            "needs samples of the GPUs' PCIe links (tier sampled, source nvml): the coverage "
            "says why there are none"};
    }
    if (!worst) {
        return std::vector<Finding>{};
    }
    finding.limit = Limit::Link;
    finding.title = fmt::format(
        "The PCIe link of the GPU of rank {} {}{}", worst->rank->rank, textOf(*worst),
        finding.ranks.size() > 1 ? fmt::format(", and {} more are degraded", finding.ranks.size() - 1) : "");
    finding.figures = {{"part_of_rate", Unit::Share, worst->part(), 1.0}};
    finding.advice =
        "Compare `nvidia-smi -q` (Link Width, PCIe Generation) and `lspci -vv` (LnkCap, LnkSta) with another "
        "host; reseat card and riser, and look for a slot with fewer lanes or a firmware setting that "
        "limits it. Copies, and RDMA to the GPU's memory, run at that part of their rate.";
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(pcie_link_degraded, .title = "A GPU's PCIe link is narrower or slower than it could be",
              .needs = "sampled (nvml)", .options = {}, .run = ringside::rules::run,
              .help = "Lanes and generation of each GPU's PCIe link against what GPU and slot can together. "
                      "The highest generation seen counts, for idle GPUs lower it. The cost is not "
                      "estimated: see pageable_copy and the exposed copies.",
              .judgesLinks = true);
