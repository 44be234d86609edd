// SPDX-License-Identifier: Apache-2.0
// Finds ECC errors of device memory. Corrected errors cost no time; many of them show that a GPU should be
// watched or replaced.
#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_ecc_errors {
namespace {

constexpr Option kOptions[] = {
    {"corrected", 100, "report from this number of corrected errors within the run; fewer are normal"},
    {"uncorrected", 1, "a problem from this number of uncorrected errors within the run"},
};

void add(std::optional<double>& sum, std::optional<std::int64_t> gain)
{
    sum = gain ? std::optional(sum.value_or(0) + static_cast<double>(*gain)) : sum;
}

bool reaches(std::optional<std::int64_t> gain, double threshold)
{
    return gain && static_cast<double>(*gain) >= threshold;
}

std::string countText(std::optional<double> count)
{
    return count ? fmt::format("{:.0f}", *count) : "an unknown number of";
}

Outcome run(const Context& context)
{
    Finding finding;
    std::optional<double> corrected; // null if no rank was sampled
    std::optional<double> uncorrected;
    for (const model::Rank& rank : context.run.ranks) {
        const auto fixed = gpuGain(context, rank, "ecc_corrected_errors");
        const auto lost = gpuGain(context, rank, "ecc_uncorrected_errors");
        add(corrected, fixed);
        add(uncorrected, lost);
        if (!reaches(lost, context.option("uncorrected")) && !reaches(fixed, context.option("corrected"))) {
            continue;
        }
        finding.ranks.push_back(rank.rank);
        const auto samples = gpuSamples(context, rank, "ecc_corrected_errors");
        if (!samples.empty()) {
            finding.evidence.push_back(evidence(rank, samples, "the sampled part of the run"));
        }
    }
    if (!corrected && !uncorrected) {
        return kNeedsNvml;
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    const bool bad = uncorrected && *uncorrected >= context.option("uncorrected");
    finding.severity = bad ? Severity::Problem : Severity::Info;
    finding.limit = Limit::Memory;
    finding.broken = bad;
    finding.title = fmt::format("Device memory had {} corrected and {} uncorrected errors in this run",
                                countText(corrected), countText(uncorrected));
    if (corrected) {
        finding.figures.push_back({"corrected_errors", Unit::Count, *corrected, context.option("corrected")});
    }
    if (uncorrected) {
        finding.figures.push_back(
            {"uncorrected_errors", Unit::Count, *uncorrected, context.option("uncorrected")});
    }
    finding.advice =
        "Check `nvidia-smi -q -d ECC,ROW_REMAPPER` on the ranks named. Uncorrected errors may have changed "
        "results: drain the node, reset or replace the GPU, and go back to an earlier checkpoint.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(ecc_errors, .title = "Device memory has errors", .needs = "sampled (nvml)", .options = kOptions,
              .run = run,
              .help = "Increase of the GPU's error correction counters between the first and the last "
                      "sample. The cost is not estimated: errors damage results, they do not take time.");

} // namespace ringside::rules::rule_ecc_errors
