// SPDX-License-Identifier: Apache-2.0
// Finds steps with too little compute to hide their communication, while the GPU has memory left for a larger
// batch.
#include "words/small_batch.h"

#include "rules/shared/communication_cause.h"
#include "rules/shared/device_samples.h"
#include "words/step.h"

namespace ringside::rules::rule_small_batch {
namespace {

namespace text = words::small_batch;

constexpr Option kOptions[] = {
    {"exposed_share", 0.10,
     "warn if exposed communication, without waiting, is above this share of the step"},
    {"memory_part", 0.50, "and at most this share of the device's memory is used: twice the batch may fit"},
};

/// Returns the largest share of its memory that any rank's device used; null if not sampled.
std::optional<double> memoryPart(const Context& context)
{
    std::optional<double> most;
    for (const metrics::RankMetrics& metrics : context.figures.ranks) {
        const model::Rank& rank = context.rankOf(metrics);
        const std::string gpu = metrics::gpuName(context.run, rank);
        for (const trace::DeviceRow& row : context.run.processOf(rank).devices) {
            if (gpu != "gpu" + std::to_string(row.ordinal) || row.memoryBytes.value_or(0) <= 0) {
                continue;
            }
            for (const metrics::SampleValue& sample : gpuSamples(context, rank, "memory_used_bytes")) {
                most = std::max(most.value_or(0),
                                static_cast<double>(sample.value) / static_cast<double>(*row.memoryBytes));
            }
        }
    }
    return most;
}

Outcome run(const Context& context)
{
    const std::optional<double> memory = memoryPart(context);
    if (!memory) {
        return kNeedsNvml;
    }
    if (!context.figures.arrivalsMeasured()) {
        return kNeedsArrivals;
    }
    const std::int64_t exposed = context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs);
    const std::int64_t transfer =
        exposed - std::min(exposed, context.figures.perStep(&metrics::Breakdown::waitDelayNs));
    const double share = shareOfStep(context, transfer);
    if (share <= context.option("exposed_share") || *memory > context.option("memory_part")) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.costNsPerStep =
        transfer / 2; // per unit of work: twice the batch sends as many bytes for twice the work
    finding.severity = std::min(Severity::Warning, severityByCost(context, *finding.costNsPerStep));
    finding.limit = Limit::Communication;
    finding.cause = false;
    finding.title = say(text::title, {{"memory", *memory}});
    finding.settings = {"batch_size"};
    finding.figures = {{"exposed_transfer_share", Unit::Share, share, context.option("exposed_share")},
                       {"memory_part", Unit::Share, *memory, context.option("memory_part")}};
    finding.evidence =
        worstStep(context, &metrics::Breakdown::exposedCommunicationNs, words::step::exposed_communication);
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(small_batch, .title = text::heading, .needs = {{"device", "sampled"}, " (nvml)"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help, .ofTraining = true,
              .partOf = {"exposed_communication"});

} // namespace ringside::rules::rule_small_batch
