// SPDX-License-Identifier: Apache-2.0
// Maps thread ids of CUPTI's records to threads. CUPTI uses pthread_self() cut to 32 bits, and when a
// thread has ended another one may get its handle.
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
    /// Cuts a handle as CUPTI does.
    [[nodiscard]] static std::uint32_t ofThisThread();
    /// Registers the thread that has this handle from now on. `tid` is the kernel's thread id.
    void begin(std::uint32_t handle, std::uint32_t tid, std::int64_t nowNs);
    void end(std::uint32_t handle, std::int64_t nowNs);
    /// Returns the kernel's id of the thread that had the handle at that time (CLOCK_MONOTONIC). 0: no
    /// recorded thread had it, or two whose handles differ only above 32 bits.
    [[nodiscard]] std::uint32_t tidAt(std::uint32_t handle, std::int64_t timeNs) const;

private:
    struct Thread {
        std::uint32_t tid = 0;
        std::int64_t beginNs = 0; ///< of its recording: it may have called CUDA before
        std::int64_t endNs = std::numeric_limits<std::int64_t>::max();
    };
    /// Ended threads that are kept for each handle: their records arrive within seconds.
    static constexpr std::size_t kMostThreads = 256;

    mutable std::mutex m_mutex;
    std::unordered_map<std::uint32_t, std::vector<Thread>>
        m_threads; ///< by handle, in the order of beginning
};

} // namespace ringside::collector
