// SPDX-License-Identifier: Apache-2.0
#include "metrics/carried_lateness.h"

#include <algorithm>
#include <map>

namespace ringside::metrics {
namespace {

/// The last operation of a rank's stream.
struct Queue {
    std::int64_t endNs = 0;
    std::int64_t laterNs = 0; ///< how much later it ended than on the first of its ranks
};

/// Returns (begin, index) of the operations with comparable ends, in the order in which they began.
std::vector<std::pair<std::int64_t, std::size_t>> measuredInOrder(const model::Model& model)
{
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t i = 0; i < model.operations.size(); ++i) {
        if (const auto times = model::arrivals(model.operations[i], model.ranks)) {
            order.emplace_back(times->firstArrivalNs, i);
        }
    }
    std::sort(order.begin(), order.end());
    return order;
}

class CarriedLateness final {
public:
    explicit CarriedLateness(const model::Model& model) : m_model(model) {}
    /// Returns the carried lateness by participant. Operations must be added in the order of their begin.
    [[nodiscard]] std::vector<std::int64_t> addOperation(const model::Operation& operation);

private:
    [[nodiscard]] Queue& queueOf(const model::Participant& part);
    [[nodiscard]] std::int64_t firstEnd(const model::Operation& operation) const;

    const model::Model& m_model;
    std::map<std::pair<std::size_t, std::int64_t>, Queue> m_queues; ///< by rank and stream
};

Queue& CarriedLateness::queueOf(const model::Participant& part)
{
    const auto& calls = m_model.processOf(m_model.ranks[part.rank]).collectiveCalls;
    return m_queues[{part.rank, part.call < calls.size() ? calls[part.call].stream : 0}];
}

std::int64_t CarriedLateness::firstEnd(const model::Operation& operation) const
{
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const model::Participant& part : operation.participants) {
        first = std::min(first, m_model.ranks[part.rank].clock.toRun(part.device->end));
    }
    return first;
}

std::vector<std::int64_t> CarriedLateness::addOperation(const model::Operation& operation)
{
    constexpr std::int64_t kDirectly = 50'000; // ns; kernels of one stream follow each other within 10 us
    const std::int64_t ended = firstEnd(operation);
    std::vector<std::int64_t> carried;
    bool any = false;
    for (const model::Participant& part : operation.participants) {
        const model::ClockMap& clock = m_model.ranks[part.rank].clock;
        Queue& queue = queueOf(part);
        const std::int64_t behind = clock.toRun(part.device->start) - queue.endNs;
        carried.push_back(behind > -kDirectly && behind < kDirectly ? queue.laterNs : 0);
        any = any || carried.back() > 0;
        const std::int64_t end = clock.toRun(part.device->end);
        queue = {end, end - ended};
    }
    return any ? carried : std::vector<std::int64_t>();
}

} // namespace

std::vector<std::vector<std::int64_t>> carriedLateness(const model::Model& model)
{
    std::vector<std::vector<std::int64_t>> carried(model.operations.size());
    CarriedLateness lateness(model);
    for (const auto& [time, index] : measuredInOrder(model)) {
        carried[index] = lateness.addOperation(model.operations[index]);
    }
    return carried;
}

} // namespace ringside::metrics
