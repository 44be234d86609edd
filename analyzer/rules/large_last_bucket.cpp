// SPDX-License-Identifier: Apache-2.0
// Finds a last gradient message that is too large. It starts when backward is over, so its transfer adds to
// the step and should be small. The rule applies only if the other messages are hidden; else overlap is
// missing altogether, which is exposed_communication's finding. It also applies only if the network was idle
// before the message: a slow network that is still behind with earlier gradients moves the same bytes in the
// same time whatever the sizes.
#include "words/large_last_bucket.h"

#include "rules/shared/gradients.h"

namespace ringside::rules::rule_large_last_bucket {
namespace {

namespace text = words::large_last_bucket;

constexpr double kMebibyte = 1048576.0;
constexpr Option kOptions[] = {
    {"share", 0.05, "warn when a message of the ideal size would save more than this share of the step"},
    {"part", 0.50, "and if it has at least this share of all gradients' exposed transfer"},
    {"ideal_bytes", kMebibyte, "size that the cost is compared with (DDP's first bucket: 1 MiB)"},
};

/// Returns how long a message of the ideal size would take in ns: by the run's own fit of time over size,
/// else in proportion to this message.
double idealNs(const Context& context, const Bucket& last)
{
    const double ideal = context.option("ideal_bytes");
    const auto& fit = context.figures.allReduceFit;
    return fit ? fit->latencyNs + ideal * fit->nsPerByte : last.exposedTransferNs * ideal / last.bytes;
}

/// Returns what a message of the ideal size would save in ns: the exposed transfer beyond its own time, at
/// most the time that the network was idle before this message.
double savedNs(const Context& context, const Bucket& last)
{
    return std::clamp(last.exposedTransferNs - idealNs(context, last), 0.0, last.quietBeforeNs);
}

Finding describe(const Context& context, const Bucket& last, double part)
{
    Finding finding;
    finding.costNsPerStep = std::llround(savedNs(context, last));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Communication;
    finding.title =
        say(text::title, {{"transfer", std::llround(last.exposedTransferNs)}, {"message", nameOf(last)}});
    finding.settings = {"bucket_cap_mb"};
    finding.figures = {
        {"saved_share", Unit::Share, shareOfStep(context, *finding.costNsPerStep), context.option("share")},
        {"exposed_tail_share", Unit::Share, shareOfStep(context, std::llround(last.exposedTransferNs)), {}},
        {"idle_network_before_ns", Unit::Ns, last.quietBeforeNs, {}},
        {"part_of_exposed_gradients", Unit::Share, part, context.option("part")},
        {"last_message_bytes", Unit::Bytes, last.bytes, context.option("ideal_bytes")}};
    finding.evidence = {evidence(context, last)};
    finding.advice = text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    const std::vector<Bucket> buckets = bucketsOf(context);
    if (buckets.empty()) {
        return kNeedsGradients;
    }
    if (buckets.size() < 2) {
        return std::vector<Finding>{}; // a single message means that overlap was not tried
    }
    double all = 0;
    for (const Bucket& bucket : buckets) {
        all += bucket.exposedTransferNs;
    }
    const Bucket& last = buckets.back();
    const double part = all > 0 ? last.exposedTransferNs / all : 0.0;
    const bool large = last.bytes > context.option("ideal_bytes") && part >= context.option("part") &&
                       shareOfStep(context, std::llround(savedNs(context, last))) > context.option("share");
    return large ? std::vector{describe(context, last, part)} : std::vector<Finding>{};
}

} // namespace

RINGSIDE_RULE(large_last_bucket, .title = text::heading, .needs = {{"device"}, ", on all ranks"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help, .ofSteps = true,
              .ofTraining = true, .partOf = {"exposed_communication"});

} // namespace ringside::rules::rule_large_last_bucket
