// SPDX-License-Identifier: Apache-2.0
// Finds communication that no compute hides. It is a symptom: late ranks and small messages show here too. If
// not even the first gradient message starts before backward is nearly over, overlap itself is missing; a
// smaller share of the step is then enough to warn.
#include "rules/shared/communication_cause.h"
#include "rules/shared/gradients.h"
#include "words/step.h"

namespace ringside::rules::rule_exposed_communication {
namespace {

constexpr Option kOptions[] = {
    {"share", 0.10, "warn above this exposed share of the step"},
    {"problem_share", 0.20, "a problem above this share"},
    {"no_overlap_share", 0.02,
     "warn above this share if no gradient message begins before most of the compute is done"},
    {"most_compute", 0.90, "share of a step's compute that counts as most of it"},
};

/// Returns the gradient message with the most exposed time; null if no gradient message is exposed.
const Bucket* mostExposed(const std::vector<Bucket>& buckets)
{
    const auto most = std::max_element(buckets.begin(), buckets.end(), [](const Bucket& a, const Bucket& b) {
        return a.exposedNs < b.exposedNs;
    });
    return most == buckets.end() || most->exposedNs <= 0 || most->worst == nullptr ? nullptr : &*most;
}

/// Returns true if there are several gradient messages and even the first waits until backward is nearly
/// over.
bool nothingOverlaps(const Context& context, const std::vector<Bucket>& buckets)
{
    return buckets.size() > 1 && buckets.front().computeDone > context.option("most_compute");
}

std::string advice(const Context& context)
{
    const CommunicationCause cause = biggestCommunicationCause(context);
    const std::string most = fmt::format("The biggest part is {}", describe(context, cause));
    if (!cause.overlapWouldHelp) {
        return fmt::format("{}: {}", most, cause.remedy);
    }
    if (context.inference()) {
        return fmt::format("{}. Let it overlap: a communication stream of its own, two batches in turn, or "
                           "chunks of one, so that one computes while the other communicates.",
                           most);
    }
    return fmt::format(
        "{}. Let it overlap with backward: check that gradients are reduced while backward runs (bucket "
        "order, `static_graph=True`, no synchronisation between buckets, a communication stream of its own), "
        "or give it more compute to hide behind (bigger micro-batch, accumulation with `no_sync()`).",
        most);
}

Outcome run(const Context& context)
{
    const metrics::Breakdown total = context.figures.total();
    const double share = total.share(total.exposedCommunicationNs);
    const bool hasBuckets = !context.inference() && !context.run.recordingIsStep();
    const std::vector<Bucket> buckets = hasBuckets ? bucketsOf(context) : std::vector<Bucket>();
    const bool noOverlap = nothingOverlaps(context, buckets);
    if (share <= context.option(noOverlap ? "no_overlap_share" : "share")) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.severity = share > context.option("problem_share") ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Communication;
    finding.cause = false;
    finding.title = fmt::format("{} of the step is exposed communication", percent(share));
    if (!context.inference()) {
        finding.settings = {"bucket_cap_mb", "static_graph"};
    }
    finding.costNsPerStep = context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs);
    finding.figures = {{"exposed_share", Unit::Share, share, context.option("share")}};
    if (total.communicationNs > 0) {
        finding.figures.push_back(
            {"overlap",
             Unit::Share,
             static_cast<double>(total.overlapNs) / static_cast<double>(total.communicationNs),
             {}});
    }
    if (context.figures.arrivalsMeasured()) {
        const std::int64_t delay = context.figures.perStep(&metrics::Breakdown::waitDelayNs);
        finding.figures.push_back({"wait_delay_ns_per_step", Unit::Ns, static_cast<double>(delay), {}});
    }
    finding.evidence =
        worstStep(context, &metrics::Breakdown::exposedCommunicationNs, words::step::exposed_communication);
    finding.advice = advice(context);
    if (noOverlap) {
        finding.title += "; no gradient message begins before backward is nearly over";
        finding.figures.push_back({"compute_before_first_message", Unit::Share, buckets.front().computeDone,
                                   context.option("most_compute")});
    }
    if (const Bucket* const bucket = mostExposed(buckets)) {
        finding.title += fmt::format("; {} per step of it are {}",
                                     milliseconds(std::llround(bucket->exposedNs)), nameOf(*bucket));
        finding.figures.push_back({"most_exposed_message_ns_per_step", Unit::Ns, bucket->exposedNs, {}});
        finding.evidence.push_back(evidence(context, *bucket));
    }
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(
    exposed_communication, .title = "Communication is not hidden behind compute", .needs = "device",
    .options = kOptions, .run = run, .needsDevice = true,
    .help =
        "|M minus C| over the step. What is hidden costs nothing; what is exposed adds to the step. Where "
        "the first of several gradient messages begins after most_compute of a step's compute, "
        "no_overlap_share is the limit.");

} // namespace ringside::rules::rule_exposed_communication
