// SPDX-License-Identifier: Apache-2.0
// A GPU's PCIe link has to send packets again. A few are normal; many tell of a slot, riser or cable, and
// copies and GPUDirect through that link run slower.
#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_pcie_errors {
namespace {

constexpr Option kOptions[] = {
    {"replays_a_minute", 16,
     "packets sent again a minute, above which it is a warning (DCGM's limit for generation 4 "
     "with 16 lanes, from a bit error rate of 1e-12; 31 for generation 5)"},
    {"much", 10, "times that, from which on it is a problem"},
};

/// In a minute, over the run, but not less than over one minute: a single one in a second is none of 60.
std::optional<double> replaysAMinute(const Context& context, const model::Rank& rank)
{
    constexpr double kNsAMinute = 60e9;
    const auto gain = gpuGain(context, rank, "pcie_replays");
    if (!gain) {
        return std::nullopt;
    }
    const auto samples = gpuSamples(context, rank, "pcie_replays");
    const auto ns = static_cast<double>(samples.back().timeNs - samples.front().timeNs);
    return static_cast<double>(*gain) / std::max(1.0, ns / kNsAMinute);
}

Outcome run(const Context& context)
{
    Finding finding;
    bool known = false;
    double most = 0;
    for (const model::Rank& rank : context.run.ranks) {
        const auto replays = replaysAMinute(context, rank);
        known = known || replays;
        if (!replays || *replays <= context.option("replays_a_minute")) {
            continue;
        }
        finding.ranks.push_back(rank.rank);
        most = std::max(most, *replays);
        finding.evidence.push_back(
            evidence(rank, gpuSamples(context, rank, "pcie_replays"), "the run, as far as it was sampled"));
    }
    if (!known) {
        return kNeedsNvml;
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    const double limit = context.option("replays_a_minute");
    finding.severity = most > context.option("much") * limit ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Link;
    finding.title =
        fmt::format("The PCIe link of {} had to send packets again, {:.0f} a minute at worst",
                    finding.ranks.size() == 1 ? "a GPU" : fmt::format("{} GPUs", finding.ranks.size()), most);
    finding.figures = {{"replays_a_minute", Unit::PerMinute, most, limit}};
    finding.advice =
        "Look at `nvidia-smi -q` (Replays, Link Width and Generation) and `lspci -vv` (LnkSta) on the hosts "
        "of the ranks named; reseat the card or riser, and compare `copy` rates with another node.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(pcie_errors, .title = "Errors of a GPU's PCIe link", .needs = "sampled (nvml)",
              .options = kOptions, .run = run,
              .help =
                  "What the replay counter of each GPU gained a minute. pcie_link_degraded judges width and "
                  "generation. The cost is not estimated.",
              .judgesLinks = true);

} // namespace ringside::rules::rule_pcie_errors
