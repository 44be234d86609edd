// SPDX-License-Identifier: Apache-2.0
// Finds gradients in so many small messages that latency, not bandwidth, limits them. If the run's message
// sizes differ enough, a linear fit of its transfer times separates latency from bandwidth. If there is no
// such fit (larger messages took no longer), the rate of its largest messages shows what the others could
// save. If all sizes are alike, only the range of field guides is left for comparison.
#include "words/small_messages.h"

#include "rules/shared/reductions.h"
#include "whatif/changes.h"

namespace ringside::rules::rule_small_messages {
namespace {

namespace text = words::small_messages;

constexpr double kMebibyte = 1048576.0;
constexpr Option kOptions[] = {
    {"bucket_bytes", 25 * kMebibyte,
     "bucket size the cost is compared with (bucket_cap_mb's default; field range 25-125 MiB)"},
    {"min_message_bytes", 1 * kMebibyte,
     "without a fit of the run's own, gradient messages below this size are small"},
    {"min_latency_share", 0.20, "with a fit, latency must be this share of the transfer time"},
    {"min_messages", 4, "fewest gradient messages per reduction"},
};

struct Messages {
    std::vector<std::uint64_t> sizes; ///< bytes of every gradient message of the analyzed steps
    std::map<std::uint64_t, std::vector<std::int64_t>> transferNs; ///< transfer times, keyed by size
    std::vector<std::size_t> entries;                              ///< indices of RunMetrics::arrived
    double bytesPerStep = 0;
    double perStep = 0;
    double reductions = 1; ///< per step; messages of different backward passes cannot be joined
    double transferNsPerStep = 0;
};

/// Counts reductions by the backward passes alone: if all gradients are cut into equal buckets, sizes repeat
/// anyway.
double reductionsPerStep(const Context& context)
{
    const Passes passes = findPasses(context, context.figures.ranks.front());
    return std::max(1.0, reductionsFromPasses(passes, 1).times);
}

Messages gradientMessages(const Context& context)
{
    Messages result;
    for (std::size_t i = 0; i < context.figures.arrived.size(); ++i) {
        const metrics::ArrivedOperation& entry = context.figures.arrived[i];
        const model::Operation& operation = context.run.operations[entry.operation];
        if (model::isGradient(operation, context.run.worldSize)) {
            result.sizes.push_back(*operation.bytes);
            result.entries.push_back(i);
            result.transferNs[*operation.bytes].push_back(entry.times.transferNs());
            result.bytesPerStep += static_cast<double>(*operation.bytes);
            result.transferNsPerStep += static_cast<double>(entry.times.transferNs());
        }
    }
    const double steps = context.figures.periods();
    result.perStep = static_cast<double>(result.sizes.size()) / steps;
    result.bytesPerStep /= steps;
    result.transferNsPerStep /= steps;
    result.reductions = result.sizes.empty() ? 1.0 : reductionsPerStep(context);
    return result;
}

/// The size that messages should have, and the cost of the latency of messages beyond the ideal number.
struct Assessment {
    double limitBytes = 0;
    std::optional<double> latencyShare;
    std::optional<std::int64_t> costNs;
};

/// Returns what a step's transfers would save in ns if all bytes were sent at the best rate of the run's own
/// messages of at least twice the median size. Time per byte only falls with size, so larger messages would
/// save more. Returns null if there are no such messages.
std::optional<double> savedByOwnLargest(const Messages& messages, double medianBytes)
{
    std::optional<double> best; // ns per byte
    for (const auto& [bytes, times] : messages.transferNs) {
        if (static_cast<double>(bytes) >= 2 * medianBytes) {
            const double rate = static_cast<double>(model::median(times)) / static_cast<double>(bytes);
            best = std::min(best.value_or(rate), rate);
        }
    }
    return best ? std::optional(messages.transferNsPerStep - *best * messages.bytesPerStep) : std::nullopt;
}

/// Returns the exposed transfer in ns that fewer messages could shorten. A last message that starts as soon
/// as its gradients are ready is left out: in a larger bucket they would start no earlier.
double exposedByNumber(const Context& context, double latencyNs)
{
    double sum = 0;
    for (const Bucket& bucket : bucketsOf(context)) {
        const bool leavesAtOnce = bucket.place + 1 == bucket.of && bucket.quietBeforeNs > latencyNs;
        sum += leavesAtOnce ? 0.0 : bucket.exposedTransferNs;
    }
    return sum;
}

Assessment assess(const Context& context, const Messages& messages, double medianBytes)
{
    // DDP's first bucket is smaller by design, so one more message than the bytes need is ideal.
    const double ofReduction = messages.bytesPerStep / messages.reductions;
    const double ideal =
        messages.reductions * (std::ceil(ofReduction / context.option("bucket_bytes")) + 1.0);
    const double extra = std::max(0.0, messages.perStep - ideal);
    const auto& fit = context.figures.allReduceFit;
    Assessment result;
    result.limitBytes = context.option("min_message_bytes");
    // Hidden latency costs nothing, and waiting for late ranks is not latency.
    const std::int64_t exposed = context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs);
    const std::int64_t wait = std::min(exposed, context.figures.perStep(&metrics::Breakdown::waitDelayNs));
    const auto most = static_cast<double>(exposed - wait);
    if (!fit) {
        if (const auto saved = savedByOwnLargest(messages, medianBytes)) {
            result.costNs = std::llround(std::clamp(*saved, 0.0, most));
        }
        return result;
    }
    result.limitBytes = std::max(result.limitBytes, fit->halfPeakBytes());
    result.latencyShare = messages.perStep * fit->latencyNs / std::max(1.0, messages.transferNsPerStep);
    result.costNs =
        std::llround(std::min({extra * fit->latencyNs, most, exposedByNumber(context, fit->latencyNs)}));
    return result;
}

Finding describe(const Context& context, const Messages& messages, double medianBytes,
                 const Assessment& assessment)
{
    const metrics::ArrivedOperation& first = context.figures.arrived[messages.entries.front()];
    Finding finding;
    finding.severity = assessment.costNs ? severityByCost(context, *assessment.costNs) : Severity::Warning;
    finding.limit = Limit::Communication;
    finding.title = say(text::title, {{"messages", messages.perStep}, {"median", medianBytes}});
    finding.settings = {"bucket_cap_mb"};
    finding.costNsPerStep = assessment.costNs;
    finding.figures = {{"median_message_bytes", Unit::Bytes, medianBytes, assessment.limitBytes},
                       {"messages", Unit::Count, messages.perStep,
                        messages.reductions * context.option("min_messages"), PerPeriod::Yes}};
    if (messages.reductions > 1) {
        finding.figures.push_back({"reductions", Unit::Count, messages.reductions, {}, PerPeriod::Yes});
    }
    if (const auto& fit = context.figures.allReduceFit) {
        finding.figures.push_back(
            {"latency_share", Unit::Share, *assessment.latencyShare, context.option("min_latency_share")});
        finding.figures.push_back({"latency_ns", Unit::Ns, fit->latencyNs, {}});
        finding.figures.push_back({"half_peak_bytes", Unit::Bytes, fit->halfPeakBytes(), {}});
    }
    const model::Operation& operation = context.run.operations[first.operation];
    finding.evidence = {{context.run.ranks[operation.participants.front().rank].rank,
                         first.times.firstArrivalNs, first.times.endNs,
                         say(text::message, {{"bytes", static_cast<double>(*operation.bytes)}})}};
    finding.advice = say(text::remedy, {{"unknown", assessment.costNs ? words::Text() : text::no_estimate}});
    return finding;
}

Outcome run(const Context& context)
{
    if (!context.figures.arrivalsMeasured()) {
        return kNeedsArrivals;
    }
    const Messages messages = gradientMessages(context);
    if (messages.sizes.empty()) {
        return NotApplicable{text::no_gradients};
    }
    const auto medianBytes = static_cast<double>(model::median(messages.sizes));
    const Assessment assessment = assess(context, messages, medianBytes);
    const bool latencyMatters =
        !assessment.latencyShare || *assessment.latencyShare > context.option("min_latency_share");
    if (messages.perStep < messages.reductions * context.option("min_messages") ||
        medianBytes >= assessment.limitBytes || !latencyMatters) {
        return std::vector<Finding>{};
    }
    return std::vector<Finding>{describe(context, messages, medianBytes, assessment)};
}

/// Replays the run with larger buckets. If one bucket held all gradients, most of them would be exposed at
/// the end, so fractions of the total are tried too, as far as they are larger than the recorded messages.
/// Whole messages are joined: another end of the last one may gain more than its size, which is no gain of
/// larger buckets.
/// There is no replay if a step reduces gradients several times, because it would join messages of different
/// backward passes.
std::vector<whatif::Changes> cures(const Context& context, const Finding& finding)
{
    constexpr double kMost = 1e12;
    const double limit = context.option("bucket_bytes");
    const double median = figureOf(finding, "median_message_bytes");
    const double total = median * figureOf(finding, "messages");
    std::vector<whatif::Changes> result;
    if (figureOf(finding, "reductions") > 1) {
        return result;
    }
    for (const double bytes : {limit, total / 3, total / 6}) {
        if (bytes > median && bytes <= limit) {
            whatif::Changes& cure = result.emplace_back();
            cure.bucketBytes = static_cast<std::uint64_t>(std::min(bytes, kMost));
            cure.wholeMessages = true;
        }
    }
    return result;
}

} // namespace

RINGSIDE_RULE(small_messages, .title = text::heading, .needs = {{"device"}, ", on all ranks"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help, .ofSteps = true,
              .ofTraining = true, .partOf = {"exposed_communication"}, .cures = cures);

} // namespace ringside::rules::rule_small_messages
