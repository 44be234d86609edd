// SPDX-License-Identifier: Apache-2.0
// Finds communication that no compute hides. It is a symptom: late ranks and small messages show here too. If
// not even the first gradient message starts before backward is nearly over, overlap itself is missing; a
// smaller share of the step is then enough to warn.
#include "words/exposed_communication.h"

#include "rules/shared/communication_cause.h"
#include "rules/shared/gradients.h"
#include "words/step.h"

namespace ringside::rules::rule_exposed_communication {
namespace {

namespace text = words::exposed_communication;

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

words::Text advice(const Context& context)
{
    const CommunicationCause cause = biggestCommunicationCause(context);
    const words::Template& words = !cause.overlapWouldHelp ? text::remedy
                                   : context.inference()   ? text::overlap_remedy_serving
                                                           : text::overlap_remedy;
    return say(words, {{"part", describe(context, cause)}, {"remedy", cause.remedy}});
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
    finding.title = say(text::title, {{"share", share}});
    if (!context.inference()) {
        finding.settings = {"bucket_cap_mb", "static_graph"};
    }
    finding.costNsPerStep = exposedBeyondFill(context);
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
        finding.figures.push_back(
            {"wait_delay_ns", Unit::Ns, static_cast<double>(delay), {}, PerPeriod::Yes});
    }
    finding.evidence =
        worstStep(context, &metrics::Breakdown::exposedCommunicationNs, words::step::exposed_communication);
    finding.advice = advice(context);
    if (noOverlap) {
        finding.title += text::no_overlap;
        finding.figures.push_back({"compute_before_first_message", Unit::Share, buckets.front().computeDone,
                                   context.option("most_compute")});
    }
    if (const Bucket* const bucket = mostExposed(buckets)) {
        finding.title += say(text::most_exposed,
                             {{"exposed", std::llround(bucket->exposedNs)}, {"message", nameOf(*bucket)}});
        finding.figures.push_back(
            {"most_exposed_message_ns", Unit::Ns, bucket->exposedNs, {}, PerPeriod::Yes});
        finding.evidence.push_back(evidence(context, *bucket));
    }
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(exposed_communication, .title = text::heading, .needs = {{"device"}}, .options = kOptions,
              .run = run, .needsDevice = true, .help = text::help);

} // namespace ringside::rules::rule_exposed_communication
