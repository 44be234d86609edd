// SPDX-License-Identifier: Apache-2.0
// Ranges that may begin on one thread and end on another (nvtxRangeStart/End). A fixed number of slots, taken
// and left without a lock; when all are taken a range is not recorded.
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
};

class OpenRanges final {
public:
    /// The range's id for the program; 0 when there is no slot.
    std::uint64_t start(const StartedRange& range)
    {
        const std::uint64_t first = m_next.fetch_add(1, std::memory_order_relaxed);
        for (std::uint64_t probe = 0; probe < kProbes; ++probe) {
            Slot& slot = m_slots[(first + probe) % kSlots];
            std::uint64_t free = 0;
            const std::uint64_t id = (first + 1) * kSlots + (first + probe) % kSlots;
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
        Slot& slot = m_slots[id % kSlots];
        std::uint64_t expected = id;
        if (id == 0 || id == kBusy ||
            !slot.id.compare_exchange_strong(expected, kBusy, std::memory_order_acquire)) {
            return std::nullopt;
        }
        const StartedRange range = slot.range;
        slot.id.store(0, std::memory_order_release);
        return range;
    }

private:
    static constexpr std::uint64_t kSlots = 4096;
    static constexpr std::uint64_t kProbes = 16;
    static constexpr std::uint64_t kBusy = ~std::uint64_t{0};
    struct Slot {
        std::atomic<std::uint64_t> id{0};
        StartedRange range;
    };
    std::array<Slot, kSlots> m_slots{};
    std::atomic<std::uint64_t> m_next{0};
};

} // namespace ringside::collector::nvtx
