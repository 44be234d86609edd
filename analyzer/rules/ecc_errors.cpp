// SPDX-License-Identifier: Apache-2.0
// Finds ECC errors of device memory. Corrected errors cost no time; many of them show that a GPU should be
// watched or replaced.
#include "words/ecc_errors.h"

#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_ecc_errors {
namespace {

namespace text = words::ecc_errors;

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

words::Text countText(std::optional<double> count)
{
    return count ? say(text::count, {{"count", *count}}) : text::not_known;
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
            finding.evidence.push_back(evidence(rank, samples, words::device_samples::sampled_part));
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
    finding.title =
        say(text::title, {{"corrected", countText(corrected)}, {"uncorrected", countText(uncorrected)}});
    if (corrected) {
        finding.figures.push_back({"corrected_errors", Unit::Count, *corrected, context.option("corrected")});
    }
    if (uncorrected) {
        finding.figures.push_back(
            {"uncorrected_errors", Unit::Count, *uncorrected, context.option("uncorrected")});
    }
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(ecc_errors, .title = text::heading, .needs = "sampled (nvml)", .options = kOptions, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_ecc_errors
