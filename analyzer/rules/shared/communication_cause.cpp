// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/communication_cause.h"

#include <fmt/format.h>

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
    const bool serves = context.inference();
    const std::array<CommunicationCause, 6> causes = {{
        {wait, "waiting for late ranks", "late_rank and wait_dominates",
         "make the ranks arrive together before tuning the network.", false},
        {fill, "filling and draining the pipeline", "pipeline_bubble",
         "more micro-batches a step, or an interleaved schedule, make that part smaller.", false},
        {blocked, "communication that a blocking call of the host keeps from overlapping", "sync_in_loop",
         serves ? "remove the synchronisation between collectives."
                : "remove the synchronisation between gradient reductions.",
         false},
        {latency, "the latency of many messages", "small_messages",
         serves ? "fewer and larger ones cost less." : "fewer and larger ones (`bucket_cap_mb`) cost less.",
         false},
        {unknown, "communication that may be transfer or waiting", "\"What this rests on\"",
         "record all ranks to see which it is.", false},
        overlaps
            ? CommunicationCause{transfer, "transfer", "the table of collectives",
                                 serves ? "send fewer bytes (a shorter data type) and check the link's "
                                          "bandwidth."
                                        : "halve the bytes (fp16 or bf16 gradients) and check the link's "
                                          "bandwidth."}
            : CommunicationCause{transfer, "transfer that compute hardly overlaps",
                                 "the table of collectives",
                                 serves
                                     ? "let it run beside the compute of another batch, or send fewer bytes."
                                     : "reduce gradients while backward still runs, as DDP does unless "
                                       "`no_sync`, one huge bucket or a synchronisation in between prevents "
                                       "it."},
    }};
    return *std::max_element(causes.begin(), causes.end(),
                             [](const auto& a, const auto& b) { return a.nsPerStep < b.nsPerStep; });
}

std::string describe(const Context& context, const CommunicationCause& cause)
{
    const std::int64_t exposed = context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs);
    return fmt::format("{} ({} of {} exposed per step; see {})", cause.what, milliseconds(cause.nsPerStep),
                       milliseconds(exposed), cause.lookAt);
}

} // namespace ringside::rules
