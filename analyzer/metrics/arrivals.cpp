// SPDX-License-Identifier: Apache-2.0
#include "metrics/arrivals.h"

namespace ringside::metrics {
namespace {

/// Returns the index of the window that contains `time`. Windows ascend.
std::optional<std::size_t> windowAt(std::span<const Interval> windows, std::int64_t time)
{
    const auto after =
        std::upper_bound(windows.begin(), windows.end(), time,
                         [](std::int64_t t, const Interval& window) { return t < window.start; });
    if (after == windows.begin() || time >= (after - 1)->end) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(after - windows.begin()) - 1;
}

using ByWork = std::unordered_map<model::WorkKey, std::int64_t, model::WorkKeyHash>;

/// Adds the last arrivals of a rank's sends and receives. Transfer begins when both ends have arrived.
void addMessages(const model::Model& model, std::size_t rank, ByWork& byWork)
{
    const trace::ProcessTrace& process = model.processOf(model.ranks[rank]);
    const model::ClockMap& clock = model.ranks[rank].clock;
    for (const model::Message& message : model.messages) {
        for (const auto& [own, other] :
             {std::pair(&message.sender, &message.receiver), std::pair(&message.receiver, &message.sender)}) {
            if (own->rank != rank || !own->whole || !own->device || !other->device ||
                !model.clocksComparable(rank, other->rank)) {
                continue;
            }
            const std::int64_t wait =
                model.ranks[other->rank].clock.toRun(other->device->start) - clock.toRun(own->device->start);
            const std::int64_t arrival = own->device->start + std::max<std::int64_t>(0, wait);
            const auto [entry, fresh] =
                byWork.try_emplace(model::workOf(process.collectiveCalls[own->call], own->launch), arrival);
            entry->second = std::max(entry->second, arrival);
        }
    }
}

} // namespace

AllArrivals findArrivals(const model::Model& model)
{
    AllArrivals result;
    result.reserve(model.operations.size());
    for (const model::Operation& operation : model.operations) {
        result.push_back(model::arrivals(operation, model.ranks));
    }
    return result;
}

LastArrivals lastArrivalsOf(const model::Model& model, std::size_t rank, const AllArrivals& arrivals)
{
    const trace::ProcessTrace& process = model.processOf(model.ranks[rank]);
    const model::ClockMap& clock = model.ranks[rank].clock;
    ByWork byWork;
    addMessages(model, rank, byWork);
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const model::Participant* const part = arrivals[i] ? model.operations[i].participant(rank) : nullptr;
        if (part != nullptr) {
            const std::int64_t wait = arrivals[i]->lastArrivalNs - clock.toRun(part->device->start);
            byWork[model::workOf(process.collectiveCalls[part->call], part->launch)] =
                part->device->start + wait;
        }
    }
    LastArrivals result;
    for (const model::CommunicationKernel& kernel : model.communication[model.ranks[rank].process].kernels) {
        if (const auto found = byWork.find(kernel.work); found != byWork.end()) {
            result.emplace(kernel.row, found->second);
        }
    }
    return result;
}

std::vector<ArrivedOperation> arrivedInSteps(const model::Model& model, const AllArrivals& arrivals,
                                             std::span<const RankMetrics> ranks)
{
    std::vector<const RankMetrics*> byRank(model.ranks.size(), nullptr);
    for (const RankMetrics& rank : ranks) {
        byRank[rank.rank] = &rank;
    }
    std::vector<ArrivedOperation> result;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const RankMetrics* const last = arrivals[i] ? byRank[arrivals[i]->lastRank] : nullptr;
        if (last == nullptr) {
            continue;
        }
        const std::int64_t arrival = model.operations[i].participant(last->rank)->device->start;
        if (const auto step = windowAt(last->windows, arrival)) {
            result.push_back({i, *step, *arrivals[i]});
        }
    }
    return result;
}

} // namespace ringside::metrics
