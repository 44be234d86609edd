// SPDX-License-Identifier: Apache-2.0
// How long NCCL's kernels ran on the GPU, by NCCL's own timers, on their way from NCCL's threads to the drain
// thread. This is what lateness is told by where the device tier is off: who comes last to a collective has
// the shortest kernel. No lock and no allocation. Only for processes with one GPU.
#pragma once
#include "values/interval.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ringside::collector {

struct NcclKernel {
    std::int64_t enqueuedNs = 0; ///< CLOCK_MONOTONIC
    values::Interval ran;        ///< on the GPU's timer
};

class NcclKernels final {
public:
    /// Between two passes of the drain thread. What comes beyond is lost.
    static constexpr std::size_t kMost = 4096;

    [[nodiscard]] bool areTimed() const { return m_sinceNs.load(std::memory_order_relaxed) != 0; }
    /// Since when kernels have been timed without a gap (CLOCK_MONOTONIC). Null: they are not.
    [[nodiscard]] std::optional<std::int64_t> timedSinceNs() const;
    void time(bool wanted, std::int64_t nowNs);
    /// In a CUDA graph NCCL's timers would add a call of the host to each launch. Tells NCCL at once.
    void leaveOutFromNowOn();
    /// `tellNccl` tells NCCL whether its kernels are to be timed.
    void connect(void (*tellNccl)()) { m_tellNccl.store(tellNccl, std::memory_order_relaxed); }

    /// Called on NCCL's threads with times of the GPU's timer. What cannot be the times of a kernel is lost.
    void add(std::int64_t enqueuedNs, std::int32_t device, std::uint64_t startNs, std::uint64_t endNs);
    /// A kernel has no times: steps in which something is missing are not measured.
    void loseAll();
    /// Only for the drain thread. `see` gets each kernel once, in any order.
    template <class See>
    void take(const See& see)
    {
        for (Place& place : m_places) {
            if (const std::int64_t enqueuedNs = place.enqueuedNs.load(std::memory_order_acquire);
                enqueuedNs != 0) {
                const values::Interval ran{place.startNs.load(std::memory_order_relaxed),
                                           place.endNs.load(std::memory_order_relaxed)};
                place.enqueuedNs.store(0, std::memory_order_release);
                see(NcclKernel{enqueuedNs, ran});
            }
        }
    }

private:
    struct Place {
        std::atomic<std::int64_t> enqueuedNs{0}; ///< 0: free; written last
        std::atomic<std::int64_t> startNs{0};
        std::atomic<std::int64_t> endNs{0};
    };

    std::atomic<std::int64_t> m_sinceNs{0}; ///< 0: not timed
    std::atomic<bool> m_leftOut{false};
    std::atomic<void (*)()> m_tellNccl{nullptr};
    std::atomic<std::int32_t> m_device{-1};      ///< -1: none yet
    std::atomic<std::uint64_t> m_latestEndNs{0}; ///< of the latest kernel, in the order of reports
    std::atomic<std::uint64_t> m_next{0};
    std::array<Place, kMost> m_places{};
};

NcclKernels& ncclKernels();

} // namespace ringside::collector
