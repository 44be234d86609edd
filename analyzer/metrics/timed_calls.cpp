// SPDX-License-Identifier: Apache-2.0
#include "metrics/timed_calls.h"

#include <set>

namespace ringside::metrics {
namespace {

using model::Interval;

/// Returns the step in which the host of the last rank called the operation. Null if the call is in no step.
const model::Step* stepOf(const model::Model& model, const model::Operation& operation, std::size_t lastRank)
{
    const model::Rank& rank = model.ranks[lastRank];
    const std::size_t call = operation.participant(lastRank)->call;
    const std::int64_t called = model.processOf(rank).collectiveCalls[call].startNs;
    const auto step = values::indexAt(rank.steps, called, &model::Step::host);
    return step ? &rank.steps[*step] : nullptr;
}

/// Returns the steps that have collectives with known arrivals of all ranks. The first and the last step are
/// left out if enough remain, because part of their collectives may be missing.
std::vector<std::int64_t> stepsWithArrivals(const model::Model& model, const AllArrivals& arrivals)
{
    constexpr std::size_t kFewest = 4;
    std::set<std::int64_t> numbers;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const model::Step* const step =
            arrivals[i] ? stepOf(model, model.operations[i], arrivals[i]->lastRank) : nullptr;
        if (step != nullptr) {
            numbers.insert(step->number);
        }
    }
    std::vector<std::int64_t> steps(numbers.begin(), numbers.end());
    if (steps.size() >= kFewest + 2) {
        steps.pop_back();
        steps.erase(steps.begin());
    }
    return steps;
}

TimedRank measureRank(const model::Model& model, std::size_t rank,
                      const std::vector<ArrivedOperation>& arrived)
{
    TimedRank result;
    result.rank = rank;
    std::vector<Interval> communication;
    std::vector<Interval> transfer;
    for (const ArrivedOperation& entry : arrived) {
        const model::Participant* const part = model.operations[entry.operation].participant(rank);
        if (part == nullptr) {
            continue;
        }
        const model::ClockMap& clock = model.ranks[rank].clock;
        const Interval time{clock.toRun(part->device->start), clock.toRun(part->device->end)};
        communication.push_back(time);
        transfer.push_back({std::max(time.start, entry.times.lastArrivalNs), time.end});
        if (entry.times.lateRank == rank && entry.times.lostNs > 0) {
            ++result.lastArrivals;
            result.lostNs = model::addCapped(result.lostNs, entry.times.lostNs);
        }
    }
    result.communicationNs = values::lengthOfUnion(std::move(communication));
    result.transferNs = values::lengthOfUnion(std::move(transfer));
    result.waitNs = result.communicationNs - result.transferNs;
    return result;
}

std::int64_t medianStep(const model::Model& model, const std::vector<std::int64_t>& numbers)
{
    std::vector<std::int64_t> lengths;
    for (const model::Rank& rank : model.ranks) {
        for (const model::Step& step : rank.steps) {
            if (!step.pausedAfter && std::binary_search(numbers.begin(), numbers.end(), step.number)) {
                lengths.push_back(step.host.length());
            }
        }
    }
    return model::median(std::move(lengths));
}

} // namespace

TimedCalls measureTimedCalls(const model::Model& model, const AllArrivals& arrivals)
{
    TimedCalls result;
    if (model.hasDeviceData() || !model.hasEventTimes()) {
        return result;
    }
    result.steps = stepsWithArrivals(model, arrivals);
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const model::Step* const step =
            arrivals[i] ? stepOf(model, model.operations[i], arrivals[i]->lastRank) : nullptr;
        const auto place = step != nullptr
                               ? std::lower_bound(result.steps.begin(), result.steps.end(), step->number)
                               : result.steps.end();
        if (place != result.steps.end() && *place == step->number) {
            result.arrived.push_back(
                {i, static_cast<std::size_t>(place - result.steps.begin()), *arrivals[i]});
        }
    }
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
        if (model.ranks[rank].eventTimes) {
            result.ranks.push_back(measureRank(model, rank, result.arrived));
        }
    }
    result.stepNs = medianStep(model, result.steps);
    return result;
}

} // namespace ringside::metrics
