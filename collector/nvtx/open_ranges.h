// SPDX-License-Identifier: Apache-2.0
// Open ranges that may begin on one thread and end on another (nvtxRangeStart/End). A table with a fixed
// number of slots and no lock. If all slots near an id's place are taken the range is not recorded. Ids
// are the collector's, or another tool's if the program got that.
#pragma once
#include "record/registry.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace ringside::collector::nvtx {

struct StartedRange {
    std::uint64_t startTicks = 0;
    StringId name = 0;
    StringId domain = 0;
    std::uint32_t category = 0;
    bool wanted = true; ///< recording was not paused when it began
};

class OpenRanges final {
public:
    /// Returns the range's id for the program. 0: there is no free slot.
    std::uint64_t start(const StartedRange& range)
    {
        return start(range, m_next.fetch_add(1, std::memory_order_relaxed));
    }
    /// The same for a range that has an id. Returns 0 also if that id is 0.
    std::uint64_t start(const StartedRange& range, std::uint64_t id)
    {
        for (std::uint64_t probe = 0; probe < kProbes && id != 0 && id != kBusy; ++probe) {
            Slot& slot = slotOf(id, probe);
            std::uint64_t free = 0;
            if (slot.id.load(std::memory_order_relaxed) == 0 &&
                slot.id.compare_exchange_strong(free, kBusy, std::memory_order_acquire)) {
                slot.range = range;
                slot.id.store(id, std::memory_order_release);
                return id;
            }
        }
        return 0;
    }
    std::optional<StartedRange> end(std::uint64_t id)
    {
        for (std::uint64_t probe = 0; probe < kProbes && id != 0 && id != kBusy; ++probe) {
            Slot& slot = slotOf(id, probe);
            std::uint64_t expected = id;
            if (slot.id.load(std::memory_order_relaxed) == id &&
                slot.id.compare_exchange_strong(expected, kBusy, std::memory_order_acquire)) {
                const StartedRange range = slot.range;
                slot.id.store(0, std::memory_order_release);
                return range;
            }
        }
        return std::nullopt;
    }

private:
    static constexpr std::uint64_t kSlots = 4096;
    static constexpr std::uint64_t kProbes = 16;
    static constexpr std::uint64_t kBusy = ~std::uint64_t{0};
    struct Slot {
        std::atomic<std::uint64_t> id{0};
        StartedRange range;
    };
    // The collector's ids are consecutive and fill the table evenly. A tool's ids may be addresses 16
    // bytes apart, or count in their upper half.
    Slot& slotOf(std::uint64_t id, std::uint64_t probe)
    {
        return m_slots[(id + (id >> 32) + probe) % kSlots];
    }

    std::array<Slot, kSlots> m_slots{};
    std::atomic<std::uint64_t> m_next{1};
};

} // namespace ringside::collector::nvtx
