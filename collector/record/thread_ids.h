// SPDX-License-Identifier: Apache-2.0
// Which thread a number in CUPTI's records means: it calls threads by pthread_self() cut to 32 bits, and when
// a thread has ended another one may get its handle.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace ringside::collector {

class ThreadIds final {
public:
    /// Cut as CUPTI does.
    [[nodiscard]] static std::uint32_t ofThisThread();
    /// The thread that has this handle from now on; `tid` is the kernel's number.
    void begin(std::uint32_t handle, std::uint32_t tid, std::int64_t nowNs);
    void end(std::uint32_t handle, std::int64_t nowNs);
    /// The kernel's number of the thread that had the handle then; 0: no recorded thread, or two whose
    /// handles differ only above 32 bits. CLOCK_MONOTONIC.
    [[nodiscard]] std::uint32_t tidAt(std::uint32_t handle, std::int64_t timeNs) const;

private:
    struct Thread {
        std::uint32_t tid = 0;
        std::int64_t beginNs = 0; ///< of its recording: it may have called CUDA before
        std::int64_t endNs = std::numeric_limits<std::int64_t>::max();
    };
    /// Ended ones kept of each handle: their records come within seconds.
    static constexpr std::size_t kMostThreads = 256;

    mutable std::mutex m_mutex;
    std::unordered_map<std::uint32_t, std::vector<Thread>>
        m_threads; ///< by handle, in the order of beginning
};

} // namespace ringside::collector
