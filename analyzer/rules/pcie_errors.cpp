// SPDX-License-Identifier: Apache-2.0
// Finds GPUs whose PCIe link retransmits packets. A few replays are normal. Many indicate a bad slot, riser
// or cable, and slow copies and GPUDirect through that link.
#include "words/pcie_errors.h"

#include "rules/shared/device_samples.h"
#include "words/span.h"

#include <array>
#include <cmath>

namespace ringside::rules::rule_pcie_errors {
namespace {

namespace text = words::pcie_errors;

constexpr Option kOptions[] = {
    {"replays_a_minute", 0,
     "warn above this rate of PCIe replays; 0: DCGM's limit for the link, from a bit error rate of 1e-12: 16 "
     "for 16 lanes of generation 4, 31 of generation 5"},
    {"much", 10, "a problem above this multiple of that rate"},
};

/// Returns the replays per minute over the run. A shorter run counts as one minute, so that a single replay
/// in a second is not taken for 60 per minute.
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

/// Returns DCGM's limit: what a bit error rate of 1e-12 makes in a minute, 0.06 x GT/s x lanes.
double limitOf(const Context& context, const model::Rank& rank)
{
    if (context.option("replays_a_minute") > 0) {
        return context.option("replays_a_minute");
    }
    constexpr double kErrors = 0.06;
    constexpr std::array<double, 6> kGigatransfers{2.5, 5, 8, 16, 32, 64};
    constexpr double kUsual = 16;
    const auto lanes = gpuSamples(context, rank, "pcie_lanes_max");
    const auto generation = gpuSamples(context, rank, "pcie_generation_max");
    const bool known = !lanes.empty() && !generation.empty() && lanes.back().value > 0 &&
                       generation.back().value > 0 &&
                       generation.back().value <= static_cast<std::int64_t>(kGigatransfers.size());
    return known ? std::ceil(kErrors * kGigatransfers[static_cast<std::size_t>(generation.back().value) - 1] *
                             static_cast<double>(lanes.back().value))
                 : kUsual;
}

Outcome run(const Context& context)
{
    Finding finding;
    bool known = false;
    double most = 0;
    double limit = 0;
    for (const model::Rank& rank : context.run.ranks) {
        const auto replays = replaysAMinute(context, rank);
        known = known || replays;
        if (!replays || *replays <= limitOf(context, rank)) {
            continue;
        }
        finding.ranks.push_back(rank.rank);
        if (*replays > most) {
            most = *replays;
            limit = limitOf(context, rank);
        }
        finding.evidence.push_back(
            evidence(rank, gpuSamples(context, rank, "pcie_replays"), words::span::sampled));
    }
    if (!known) {
        return kNeedsNvml;
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = most > context.option("much") * limit ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Link;
    finding.title = say(finding.ranks.size() == 1 ? text::one_gpu : text::gpus,
                        {{"gpus", finding.ranks.size()}, {"most", most}});
    finding.figures = {{"replays_a_minute", Unit::PerMinute, most, limit}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(pcie_errors, .title = text::heading, .needs = "sampled (nvml)", .options = kOptions, .run = run,
              .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_pcie_errors
