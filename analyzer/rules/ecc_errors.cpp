// SPDX-License-Identifier: Apache-2.0
// Device memory returned bits that error correction had to mend, or could not. Corrected ones cost nothing
// now; they tell of a GPU to watch or to replace.
#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_ecc_errors {
namespace {

constexpr Option kOptions[] = {
    {"corrected", 100, "corrected errors within the run from which on it is worth saying; fewer are normal"},
    {"uncorrected", 1, "uncorrected errors within the run from which on it is a problem"},
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
    std::optional<double> corrected; // null: no rank's was sampled
    std::optional<double> uncorrected;
    for (const model::Rank& rank : context.run.ranks) {
        const auto mended = gpuGain(context, rank, "ecc_corrected_errors");
        const auto lost = gpuGain(context, rank, "ecc_uncorrected_errors");
        add(corrected, mended);
        add(uncorrected, lost);
        if (!reaches(lost, context.option("uncorrected")) && !reaches(mended, context.option("corrected"))) {
            continue;
        }
        finding.ranks.push_back(rank.rank);
        const auto samples = gpuSamples(context, rank, "ecc_corrected_errors");
        if (!samples.empty()) {
            finding.evidence.push_back(evidence(rank, samples, "the run, as far as it was sampled"));
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
    finding.advice = "Look at `nvidia-smi -q -d ECC,ROW_REMAPPER` on the ranks named. Uncorrected errors may "
                     "have changed results: drain the node, reset or replace the GPU, and go back to an "
                     "earlier checkpoint.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(ecc_errors, .title = "Errors of device memory", .needs = "sampled (nvml)", .options = kOptions,
              .run = run,
              .help = "Gain of the GPU's error correction counters between the first and the last sample. "
                      "The cost is not estimated: errors cost results, not time.");

} // namespace ringside::rules::rule_ecc_errors
