// SPDX-License-Identifier: Apache-2.0
#include "import/torch_memory/moments.h"

#include <algorithm>
#include <unordered_map>

namespace ringside::importers::torch_memory {
namespace {

/// An allocation that has not been freed.
struct Live {
    std::int64_t bytes = 0;
    pickle::ValueId frames = pickle::Values::kNone;
    pickle::ValueId category = pickle::Values::kNone;
};
using LiveByAddress = std::unordered_map<std::int64_t, Live>;

Holders holdersOf(const LiveByAddress& live)
{
    Holders holders;
    for (const auto& [address, each] : live) {
        Held& held = holders[{each.frames, each.category}];
        held.bytes += each.bytes;
        ++held.blocks;
    }
    return holders;
}

Layout layoutOf(const Device& device)
{
    Layout layout;
    for (const Segment& segment : device.segments) {
        for (const Block& block : segment.blocks) {
            layout.allocated += block.use == Use::Allocated ? block.bytes : 0;
            layout.active += block.use == Use::Free ? 0 : block.bytes;
            if (block.use == Use::Free) {
                layout.inactiveSplit += segment.blocks.size() > 1 && !segment.expandable ? block.bytes : 0;
                layout.largestFree = std::max(layout.largestFree, block.bytes);
            }
        }
    }
    return layout;
}

std::int64_t reservedOf(const Device& device)
{
    std::int64_t bytes = 0;
    for (const Segment& segment : device.segments) {
        bytes += segment.bytes;
    }
    return bytes;
}

class Replay final {
public:
    explicit Replay(const Device& device) : m_device(device), m_reservedAtEnd(reservedOf(device))
    {
        for (const Segment& segment : device.segments) {
            for (const Block& block : segment.blocks) {
                if (block.use != Use::Free) {
                    m_end[block.address] = {block.requested, block.frames, {}};
                }
            }
        }
        findBeginning();
    }

    Moments run()
    {
        addSnapshot();
        if (!m_device.history.empty()) {
            findMoments();
            compareEnd();
            addPeak();
            addOutOfMemory();
        }
        return std::move(m_moments);
    }

private:
    /// What was there before the first event.
    void findBeginning()
    {
        std::unordered_map<std::int64_t, bool> allocated; ///< by address, whether it is at this event
        m_reserved = m_reservedAtEnd;
        for (const Event& event : m_device.history) {
            switch (event.action) {
            case Action::Allocate:
                allocated[event.address] = true;
                break;
            case Action::Free:
                if (allocated.try_emplace(event.address, false).second) {
                    m_beginning[event.address] = {event.bytes, {}, {}};
                }
                allocated[event.address] = false;
                break;
            case Action::Reserve:
                m_reserved -= event.bytes;
                break;
            case Action::Release:
                m_reserved += event.bytes;
                break;
            case Action::OutOfMemory:
                break;
            }
        }
        for (const auto& [address, live] : m_end) {
            if (!allocated.contains(address)) {
                m_beginning[address] = live;
            }
        }
        if (m_reserved < 0) { // more was reserved meanwhile than is there
            contradict(-m_reserved);
            m_reserved = 0;
        }
    }

    /// Returns whether the event fits what came before it.
    bool apply(const Event& event)
    {
        switch (event.action) {
        case Action::Allocate: {
            const auto [place, fresh] = m_live.try_emplace(event.address);
            m_held += event.bytes - place->second.bytes;
            place->second = {event.bytes, event.frames, event.category};
            return fresh;
        }
        case Action::Free: {
            const auto place = m_live.find(event.address);
            if (place == m_live.end()) {
                return false;
            }
            m_held -= place->second.bytes;
            m_live.erase(place);
            return true;
        }
        case Action::Reserve:
            m_reserved += event.bytes;
            return true;
        case Action::Release:
            m_reserved -= event.bytes;
            return true;
        case Action::OutOfMemory:
            return true;
        }
        return true;
    }

    void begin()
    {
        m_live = m_beginning;
        m_held = 0;
        for (const auto& [address, live] : m_live) {
            m_held += live.bytes;
        }
    }

    void findMoments()
    {
        begin();
        m_most = m_held;
        m_mostReserved = m_reserved;
        for (std::size_t i = 0; i < m_device.history.size(); ++i) {
            const Event& event = m_device.history[i];
            if (!apply(event)) {
                contradict(event.bytes);
            }
            if (m_held > m_most) {
                m_most = m_held;
                m_mostReserved = m_reserved;
                m_peak = i;
            }
            if (event.action == Action::OutOfMemory) {
                m_failed = i;
                m_failedHeld = m_held;
                m_failedReserved = m_reserved;
                m_unchanged = true;
            } else {
                m_unchanged = false;
            }
        }
    }

    void contradict(std::int64_t bytes)
    {
        constexpr std::int64_t kMost = std::int64_t{1} << 62;
        ++m_moments.contradictions;
        m_moments.uncertainBytes += std::min(bytes, kMost - m_moments.uncertainBytes);
    }

    /// The events must lead to the blocks.
    void compareEnd()
    {
        for (const auto& [address, live] : m_live) {
            if (!m_end.contains(address)) {
                contradict(live.bytes);
            }
        }
        for (const auto& [address, live] : m_end) {
            if (!m_live.contains(address)) {
                contradict(live.bytes);
            }
        }
    }

    /// What was held after an event.
    Holders holdersAfter(std::optional<std::size_t> event)
    {
        begin();
        for (std::size_t i = 0; event && i <= *event; ++i) {
            apply(m_device.history[i]);
        }
        return holdersOf(m_live);
    }

    void addSnapshot()
    {
        Moment moment;
        moment.what = "snapshot";
        moment.reserved = m_reservedAtEnd;
        moment.layout = layoutOf(m_device);
        LiveByAddress end = m_end;
        for (const Event& event : m_device.history) { // only events know categories
            const auto place = event.action == Action::Allocate ? end.find(event.address) : end.end();
            if (place != end.end()) {
                place->second.category = event.category;
                place->second.frames =
                    place->second.frames != pickle::Values::kNone ? place->second.frames : event.frames;
            }
        }
        for (const auto& [address, live] : end) {
            moment.requested += live.bytes;
        }
        moment.holders = holdersOf(end);
        m_moments.moments.push_back(std::move(moment));
    }

    void addPeak()
    {
        Moment moment;
        moment.what = "peak";
        moment.dateNs = m_peak ? m_device.history[*m_peak].dateNs : std::nullopt;
        moment.events = static_cast<std::int64_t>(m_device.history.size());
        moment.requested = m_most;
        moment.reserved = m_mostReserved;
        moment.holders = holdersAfter(m_peak);
        m_moments.moments.push_back(std::move(moment));
    }

    void addOutOfMemory()
    {
        if (!m_failed) {
            return;
        }
        const Event& event = m_device.history[*m_failed];
        Moment moment;
        moment.what = "out_of_memory";
        moment.dateNs = event.dateNs;
        moment.requested = m_failedHeld;
        moment.reserved = m_failedReserved;
        moment.wanted = event.bytes;
        moment.deviceFree = event.address;
        if (m_unchanged && m_moments.contradictions == 0) {
            moment.layout = m_moments.moments.front().layout;
        }
        moment.holders = holdersAfter(m_failed);
        m_moments.moments.push_back(std::move(moment));
    }

    const Device& m_device;
    Moments m_moments;
    LiveByAddress m_beginning, m_end, m_live;
    std::int64_t m_reservedAtEnd;
    std::int64_t m_reserved = 0, m_held = 0; ///< at the event that was applied last
    std::int64_t m_most = 0, m_mostReserved = 0;
    std::optional<std::size_t> m_peak; ///< index of its event; null: before the first one
    std::int64_t m_failedHeld = 0, m_failedReserved = 0;
    std::optional<std::size_t> m_failed;
    bool m_unchanged = false; ///< no event after the failed one changed anything
};

} // namespace

Moments momentsOf(const Device& device)
{
    return Replay(device).run();
}

} // namespace ringside::importers::torch_memory
