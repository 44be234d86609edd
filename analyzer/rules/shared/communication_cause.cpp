// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/communication_cause.h"

#include "words/communication_cause.h"

#include <algorithm>

namespace ringside::rules {
namespace {

/// Returns the communication per step that is exposed because the host was in a blocking call instead of
/// launching compute that could hide it.
std::int64_t overlapLostPerStep(const Context& context)
{
    std::vector<std::int64_t> lost;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        lost.push_back(ofAStep(context, rank, rank.blocking.overlapLostNs));
    }
    return model::median(std::move(lost));
}

/// Returns the time per step that filling and draining the pipeline takes even if its stages are balanced.
std::int64_t fillPerStep(const Context& context)
{
    const double share = metrics::pipelineOf(context.run, context.figures).idealBubble();
    return std::llround(share * static_cast<double>(context.figures.stepNs()));
}

} // namespace

std::int64_t latencyPerStep(const Context& context)
{
    constexpr double kFewMessages = 4;
    const auto& fit = context.figures.allReduceFit;
    const double steps = context.figures.periods();
    const double messages = static_cast<double>(context.figures.arrived.size()) / steps;
    return fit && messages >= kFewMessages ? std::llround(messages * fit->latencyNs) : 0;
}

std::int64_t exposedBeyondFill(const Context& context)
{
    const std::int64_t exposed = context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs);
    return exposed - std::min(exposed, fillPerStep(context));
}

CommunicationCause biggestCommunicationCause(const Context& context)
{
    const auto perStep = [&](auto figure) { return context.figures.perStep(figure); };
    const std::int64_t exposed = perStep(&metrics::Breakdown::exposedCommunicationNs);
    const std::int64_t waits = std::min(exposed, perStep(&metrics::Breakdown::waitDelayNs));
    const std::int64_t fill = std::min(waits, fillPerStep(context));
    const std::int64_t wait = waits - fill;
    const std::int64_t blocked = std::min(exposed - waits, overlapLostPerStep(context));
    const std::int64_t latency = std::min(exposed - waits - blocked, latencyPerStep(context));
    const std::int64_t unknown = std::llround((1 - context.figures.arrivalShare().value_or(1)) *
                                              static_cast<double>(exposed - waits - blocked - latency));
    const std::int64_t transfer = exposed - waits - blocked - latency - unknown;
    const bool overlaps =
        10 * perStep(&metrics::Breakdown::overlapNs) >= perStep(&metrics::Breakdown::communicationNs);
    const auto remedy = [&](const words::Template& training, const words::Template& serving) {
        return words::Text(context.inference() ? serving : training);
    };
    const std::array<CommunicationCause, 6> causes = {{
        {wait, words::communication_cause::late_ranks, words::communication_cause::late_ranks_where,
         words::communication_cause::late_ranks_remedy, false},
        {fill, words::communication_cause::pipeline, words::communication_cause::pipeline_where,
         words::communication_cause::pipeline_remedy, false},
        {blocked, words::communication_cause::blocked, words::communication_cause::blocked_where,
         remedy(words::communication_cause::blocked_remedy,
                words::communication_cause::blocked_remedy_serving),
         false},
        {latency, words::communication_cause::latency, words::communication_cause::latency_where,
         remedy(words::communication_cause::latency_remedy,
                words::communication_cause::latency_remedy_serving),
         false},
        {unknown, words::communication_cause::not_known, words::communication_cause::not_known_where,
         words::communication_cause::not_known_remedy, false},
        {transfer,
         overlaps ? words::communication_cause::transfer : words::communication_cause::bare_transfer,
         words::communication_cause::transfer_where,
         overlaps ? remedy(words::communication_cause::transfer_remedy,
                           words::communication_cause::transfer_remedy_serving)
                  : remedy(words::communication_cause::bare_transfer_remedy,
                           words::communication_cause::bare_transfer_remedy_serving)},
    }};
    return *std::max_element(causes.begin(), causes.end(),
                             [](const auto& a, const auto& b) { return a.nsPerStep < b.nsPerStep; });
}

words::Text describe(const Context& context, const CommunicationCause& cause)
{
    return say(words::communication_cause::part,
               {{"what", cause.what},
                {"time", cause.nsPerStep},
                {"exposed", context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs)},
                {"where", cause.where}});
}

} // namespace ringside::rules
