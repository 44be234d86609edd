// SPDX-License-Identifier: Apache-2.0
#include "metrics/arrivals.h"

#include <algorithm>
#include <limits>

namespace ringside::metrics {
namespace {

/// Finds lateness that was carried from the operation before.
class CarriedLateness final {
public:
    explicit CarriedLateness(const model::Model& model) : m_model(model), m_queues(model.ranks.size()) {}
    /// Returns the carried lateness by participant; null if there is none. Operations must be added in the
    /// order of their begin.
    std::shared_ptr<const std::vector<std::int64_t>> addOperation(const model::Operation& operation);

private:
    /// The last operation of a rank's stream.
    struct Queue {
        std::int64_t stream = 0;
        std::int64_t endNs = 0;
        std::int64_t laterNs = 0; ///< how much later it ended than on the first of its ranks
    };
    [[nodiscard]] Queue& queueOf(const model::Participant& part);

    const model::Model& m_model;
    std::vector<std::vector<Queue>> m_queues; ///< by rank
};

CarriedLateness::Queue& CarriedLateness::queueOf(const model::Participant& part)
{
    const auto& calls = m_model.processOf(m_model.ranks[part.rank]).collectiveCalls;
    const std::int64_t stream = part.call < calls.size() ? calls[part.call].stream : 0;
    std::vector<Queue>& queues = m_queues[part.rank];
    const auto known = std::ranges::find(queues, stream, &Queue::stream);
    return known != queues.end() ? *known : queues.emplace_back(Queue{stream});
}

std::shared_ptr<const std::vector<std::int64_t>>
CarriedLateness::addOperation(const model::Operation& operation)
{
    constexpr std::int64_t kDirectly = 50'000; // ns; kernels of one stream follow each other within 10 us
    std::int64_t ended = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> carried;
    std::vector<Queue*> queues;
    bool any = false;
    for (const model::Participant& part : operation.participants) {
        const model::ClockMap& clock = m_model.ranks[part.rank].clock;
        Queue& queue = *queues.emplace_back(&queueOf(part));
        const std::int64_t behind = clock.toRun(part.device->start) - queue.endNs;
        carried.push_back(behind > -kDirectly && behind < kDirectly ? queue.laterNs : 0);
        any = any || carried.back() > 0;
        queue.endNs = clock.toRun(part.device->end);
        ended = std::min(ended, queue.endNs);
    }
    for (Queue* const queue : queues) {
        queue->laterNs = queue->endNs - ended;
    }
    return any ? std::make_shared<const std::vector<std::int64_t>>(std::move(carried)) : nullptr;
}

std::int64_t ownArrival(const model::Model& model, const model::Operation& operation, std::size_t place,
                        const OperationArrivals& times)
{
    const model::Participant& part = operation.participants[place];
    return model.ranks[part.rank].clock.toRun(part.device->start) -
           (times.carriedNs ? (*times.carriedNs)[place] : 0);
}

/// Ranks of one host share its clock, so that only the error of CUDA event times is left.
std::int64_t lateFrom(const model::Model& model, const model::Operation& operation, std::int64_t betweenNs)
{
    const std::size_t host = model.ranks[operation.participants.front().rank].host;
    const bool oneHost = std::ranges::all_of(operation.participants, [&](const model::Participant& part) {
        return model.ranks[part.rank].host == host;
    });
    return std::max(kLeastLateNs, oneHost ? model.eventErrorNs : betweenNs);
}

void setLate(const model::Model& model, const model::Operation& operation, OperationArrivals& times)
{
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    std::int64_t secondLast = last;
    for (std::size_t i = 0; i < operation.participants.size(); ++i) {
        const std::int64_t arrival = ownArrival(model, operation, i, times);
        secondLast = std::max(secondLast, std::min(last, arrival));
        times.lateRank = arrival >= last ? operation.participants[i].rank : times.lateRank;
        last = std::max(last, arrival);
    }
    const std::int64_t lost = last - secondLast;
    times.lostNs = lost > times.lateFromNs ? lost : 0;
}

using ByWork = std::unordered_map<model::WorkKey, std::int64_t, model::WorkKeyHash>;

/// Returns the last arrivals at a rank's sends and receives.
ByWork messageArrivals(const model::Model& model, std::size_t rank)
{
    ByWork byWork;
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
    return byWork;
}

} // namespace

AllArrivals findArrivals(const model::Model& model)
{
    // A host that is not aligned takes part in no collective with known arrivals but those on itself.
    const std::int64_t between = model.clockErrorNs().value_or(
        model::addCapped(2 * model.clockResidualNs().value_or(0), model.eventErrorNs));
    AllArrivals result(model.operations.size());
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (const auto times = model::arrivals(model.operations[i], model.ranks)) {
            result[i] = OperationArrivals{*times, lateFrom(model, model.operations[i], between), 0, 0, {}};
            order.emplace_back(times->firstArrivalNs, i);
        }
    }
    std::ranges::sort(order);
    CarriedLateness carried(model);
    for (const auto& [begin, i] : order) {
        result[i]->carriedNs = carried.addOperation(model.operations[i]);
        setLate(model, model.operations[i], *result[i]);
    }
    return result;
}

std::vector<Arrival> ownArrivals(const model::Model& model, const ArrivedOperation& entry)
{
    const model::Operation& operation = model.operations[entry.operation];
    std::vector<Arrival> result;
    for (std::size_t i = 0; i < operation.participants.size(); ++i) {
        result.emplace_back(ownArrival(model, operation, i, entry.times), operation.participants[i].rank);
    }
    std::ranges::sort(result);
    return result;
}

LastArrivals lastArrivalsOf(const model::Model& model, std::size_t rank, const AllArrivals& arrivals,
                            const std::unordered_map<std::uint32_t, std::size_t>& operations)
{
    const model::ClockMap& clock = model.ranks[rank].clock;
    const ByWork messages = messageArrivals(model, rank);
    LastArrivals result;
    result.reserve(model.communication[model.ranks[rank].process].kernels.size());
    for (const model::CommunicationKernel& kernel : model.communication[model.ranks[rank].process].kernels) {
        const auto operation = operations.find(kernel.row);
        if (operation != operations.end() && arrivals[operation->second]) {
            const std::int64_t start = model.operations[operation->second].participant(rank)->device->start;
            result.emplace(kernel.row,
                           start + arrivals[operation->second]->lastArrivalNs - clock.toRun(start));
        } else if (const auto message = messages.find(kernel.work); message != messages.end()) {
            result.emplace(kernel.row, message->second);
        }
    }
    return result;
}

} // namespace ringside::metrics
