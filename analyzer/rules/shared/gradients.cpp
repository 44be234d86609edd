// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/gradients.h"

#include <algorithm>

namespace ringside::rules {
namespace {

/// Returns how long all earlier messages of the step had been finished when message `place` started.
std::int64_t quietBefore(const StepMessages& step, std::size_t place)
{
    if (place == 0) {
        return 0;
    }
    std::int64_t end = step.front()->device.end;
    for (std::size_t i = 1; i < place; ++i) {
        end = std::max(end, step[i]->device.end);
    }
    return std::max<std::int64_t>(0, step[place]->device.start - end);
}

} // namespace

std::vector<StepMessages> gradientsByStep(const Context& context, const metrics::RankMetrics& rank)
{
    std::vector<StepMessages> steps(rank.steps.size());
    for (const metrics::OperationExposure& each : rank.exposures) {
        if (model::isGradient(context.run.operations[each.operation], context.run.worldSize)) {
            steps[each.step].push_back(&each);
        }
    }
    return steps;
}

std::size_t messagesPerStep(const Context& context)
{
    std::map<std::size_t, std::size_t> counts;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        for (const StepMessages& step : gradientsByStep(context, rank)) {
            ++counts[step.size()];
        }
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? 0 : most->first;
}

std::vector<Bucket> bucketsOf(const Context& context)
{
    std::vector<Bucket> buckets(messagesPerStep(context));
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        for (const StepMessages& step : gradientsByStep(context, rank)) {
            for (std::size_t i = 0; step.size() == buckets.size() && i < step.size(); ++i) {
                const metrics::OperationExposure& each = *step[i];
                const auto compute = static_cast<double>(rank.steps[each.step].computeNs);
                Bucket& bucket = buckets[i];
                bucket.count += 1;
                bucket.bytes += static_cast<double>(*context.run.operations[each.operation].bytes);
                bucket.exposedNs += static_cast<double>(each.exposedNs);
                bucket.exposedTransferNs += static_cast<double>(each.exposedTransferNs());
                bucket.quietBeforeNs += static_cast<double>(quietBefore(step, i));
                bucket.computeDone += compute > 0 ? static_cast<double>(each.computeBeforeNs) / compute : 0.0;
                if (bucket.worst == nullptr || each.exposedNs > bucket.worst->exposedNs) {
                    bucket.worst = &each;
                    bucket.worstRank = &rank;
                }
            }
        }
    }
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        Bucket& bucket = buckets[i];
        bucket.place = i;
        bucket.of = buckets.size();
        for (double* const sum : {&bucket.bytes, &bucket.exposedNs, &bucket.exposedTransferNs,
                                  &bucket.quietBeforeNs, &bucket.computeDone}) {
            *sum /= std::max(1.0, bucket.count);
        }
    }
    return buckets;
}

words::Text nameOf(const Bucket& bucket)
{
    return say(words::gradients::message, {{"place", bucket.place + 1},
                                           {"of", bucket.of},
                                           {"bytes", bucket.bytes},
                                           {"done", bucket.computeDone}});
}

Evidence evidence(const Context& context, const Bucket& bucket)
{
    const model::Operation& operation = context.run.operations[bucket.worst->operation];
    return evidence(context.rankOf(*bucket.worstRank), bucket.worst->device,
                    say(words::gradients::most_exposed, {{"place", bucket.place + 1},
                                                         {"of", bucket.of},
                                                         {"bytes", static_cast<double>(*operation.bytes)},
                                                         {"exposed", bucket.worst->exposedNs}}));
}

std::int64_t exposedGradientTransfer(const Context& context)
{
    double sum = 0;
    double steps = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        steps += rank.periods;
        for (const metrics::OperationExposure& each : rank.exposures) {
            sum += model::isGradient(context.run.operations[each.operation], context.run.worldSize)
                       ? static_cast<double>(each.exposedTransferNs())
                       : 0.0;
        }
    }
    return steps > 0 ? std::llround(sum / steps) : 0;
}

} // namespace ringside::rules
