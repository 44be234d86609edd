// SPDX-License-Identifier: Apache-2.0
#include "profiler/event_pool.h"

#include <algorithm>

namespace ringside::collector::profiler {

Place* EventPool::take(Kind kind, std::uint64_t id)
{
    constexpr int kTries = 16;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const std::uint64_t index = m_next.fetch_add(1, std::memory_order_relaxed) % kPlaces;
        Place& place = m_places[index];
        if (!place.taken.load(std::memory_order_relaxed) &&
            !place.taken.exchange(true, std::memory_order_acquire)) {
            place.key.store(0, std::memory_order_relaxed);
            // Released: concurrent readers of these fields find the key cleared.
            place.theirs.store(nullptr, std::memory_order_release);
            place.notBeforeTicks.store(0, std::memory_order_release);
            place.launchesFor.store(0, std::memory_order_release);
            place.toBeTimedNs.store(0, std::memory_order_release);
            place.context.store(nullptr, std::memory_order_relaxed);
            place.type = {};
            place.key.store(Handle(kind, index, id).bits(), std::memory_order_release);
            return &place;
        }
    }
    countDropped();
    return nullptr;
}

Place* EventPool::find(Handle handle)
{
    if (handle.place() >= kPlaces) {
        return nullptr;
    }
    Place& place = m_places[handle.place()];
    const bool is = place.key.load(std::memory_order_acquire) == handle.bits();
    return is && place.taken.load(std::memory_order_relaxed) ? &place : nullptr;
}

template <class T>
T EventPool::read(Handle handle, const std::atomic<T> Place::*member) const
{
    if (handle.place() >= kPlaces) {
        return T{};
    }
    const Place& place = m_places[handle.place()];
    if (place.key.load(std::memory_order_acquire) != handle.bits()) {
        return T{};
    }
    const T value = (place.*member).load(std::memory_order_acquire);
    return place.key.load(std::memory_order_relaxed) == handle.bits() ? value : T{};
}

void* EventPool::theirsOf(Handle handle) const
{
    return read(handle, &Place::theirs);
}

std::uint64_t EventPool::notBeforeOf(Handle handle) const
{
    return read(handle, &Place::notBeforeTicks);
}

std::uint64_t EventPool::launchesOf(Handle group) const
{
    const std::uint64_t told = read(group, &Place::launchesFor);
    // for the group of a wrapped call, the handle itself contains the id
    return told != 0 ? told : group.idOf(Kind::Group);
}

std::int64_t EventPool::takeToBeTimedNs(Handle operation)
{
    if (operation.place() >= kPlaces) {
        return 0;
    }
    Place& place = m_places[operation.place()];
    const bool is = place.key.load(std::memory_order_acquire) == operation.bits();
    return is ? place.toBeTimedNs.exchange(0, std::memory_order_relaxed) : 0;
}

void EventPool::giveBackAll(const Context& context)
{
    const std::uint64_t used = std::min<std::uint64_t>(m_next.load(std::memory_order_relaxed), kPlaces);
    for (std::uint64_t index = 0; index < used; ++index) {
        Place& place = m_places[index];
        if (place.taken.load(std::memory_order_acquire) &&
            place.context.load(std::memory_order_relaxed) == &context) {
            giveBack(place);
        }
    }
}

} // namespace ringside::collector::profiler
