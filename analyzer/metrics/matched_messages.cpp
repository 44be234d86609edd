// SPDX-License-Identifier: Apache-2.0
#include "metrics/matched_messages.h"

#include <map>

namespace ringside::metrics {
namespace {

/// Identifies a kernel by its rank and the time at which it begins.
using KernelBegin = std::pair<std::size_t, std::int64_t>;

std::map<KernelBegin, std::size_t> messagesByKernel(const model::Model& model)
{
    std::map<KernelBegin, std::size_t> counts;
    for (const model::Message& message : model.messages) {
        for (const model::MessageEnd* const end : {&message.sender, &message.receiver}) {
            if (end->device) {
                ++counts[{end->rank, end->device->start}];
            }
        }
    }
    return counts;
}

std::map<std::size_t, Interval> analyzedSpans(const RunMetrics& run)
{
    std::map<std::size_t, Interval> spans;
    for (const RankMetrics& rank : run.ranks) {
        spans[rank.rank] = {rank.windows.front().start, rank.windows.back().end};
    }
    return spans;
}

} // namespace

std::vector<MatchedMessage> matchedMessages(const model::Model& model, const RunMetrics& run)
{
    const auto counts = messagesByKernel(model);
    const auto spans = analyzedSpans(run);
    std::vector<MatchedMessage> result;
    for (const model::Message& message : model.messages) {
        const model::MessageEnd& from = message.sender;
        const model::MessageEnd& to = message.receiver;
        const auto span = spans.find(from.rank);
        if (!from.device || !to.device || !message.bytes || span == spans.end() ||
            overlapLength(span->second, *from.device) == 0 || !model.clocksComparable(from.rank, to.rank)) {
            continue;
        }
        const model::ClockMap& sender = model.ranks[from.rank].clock;
        const model::ClockMap& receiver = model.ranks[to.rank].clock;
        const std::int64_t bothBegan =
            std::max(sender.toRun(from.device->start), receiver.toRun(to.device->start));
        const std::int64_t end = std::min(sender.toRun(from.device->end), receiver.toRun(to.device->end));
        if (end > bothBegan) {
            const bool alone = counts.at({from.rank, from.device->start}) == 1 ||
                               counts.at({to.rank, to.device->start}) == 1;
            result.push_back({from.rank, to.rank, *message.bytes, end - bothBegan, alone, *from.device});
        }
    }
    return result;
}

} // namespace ringside::metrics
