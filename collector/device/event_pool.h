// SPDX-License-Identifier: Apache-2.0
// Pairs of CUDA events of one device, created in advance. The program's threads take a pair without a
// lock or a wait; the reading thread returns it when both events have completed. If no pair is free the
// call is not timed.
#pragma once
#include "abi/cuda.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace ringside::collector {

struct EventPair {
    enum class State : std::uint32_t {
        Free,
        Taken,    ///< by the thread that is inside the call
        Recorded, ///< both events are in their stream
    };
    std::atomic<State> state{State::Free};
    std::uint32_t stream = 0; ///< stream id
    std::uint64_t call = 0;   ///< of the call or the group
    cudaEvent_t before = nullptr;
    cudaEvent_t after = nullptr;
};

class EventPool final {
public:
    /// The number of calls that may be in progress on a device: the queue of a stream holds about a
    /// thousand entries.
    static constexpr std::size_t kPairs = 2048;

    /// Returns null if none is free.
    EventPair* take()
    {
        constexpr int kTries = 4; // calls end in about the order in which they began
        for (int attempt = 0; attempt < kTries; ++attempt) {
            EventPair& pair = m_pairs[m_next.fetch_add(1, std::memory_order_relaxed) % kPairs];
            auto free = EventPair::State::Free;
            if (pair.state.compare_exchange_strong(free, EventPair::State::Taken,
                                                   std::memory_order_acquire)) {
                return &pair;
            }
        }
        return nullptr;
    }

    /// The recorded pairs, oldest first.
    template <class Visit>
    void forEachRecorded(Visit&& visit)
    {
        const std::uint64_t oldest = m_next.load(std::memory_order_relaxed);
        for (std::uint64_t i = 0; i < kPairs; ++i) {
            EventPair& pair = m_pairs[(oldest + i) % kPairs];
            if (pair.state.load(std::memory_order_acquire) == EventPair::State::Recorded) {
                visit(pair);
            }
        }
    }

    [[nodiscard]] std::array<EventPair, kPairs>& all() { return m_pairs; }

private:
    std::array<EventPair, kPairs> m_pairs{};
    std::atomic<std::uint64_t> m_next{0};
};

} // namespace ringside::collector
