// SPDX-License-Identifier: Apache-2.0
// The end of one piece of queued work. All waits use it: of streams for events, of hosts for streams, and of
// the legacy stream for the others.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

namespace ringside::platform {

class Completion final {
public:
    /// `deviceNs`: the end of the work on the device's timeline, CLOCK_MONOTONIC.
    void finish(std::int64_t deviceNs)
    {
        m_endNs = deviceNs;
        m_done.store(1, std::memory_order_release);
        m_done.notify_all();
    }
    void wait() const { m_done.wait(0, std::memory_order_acquire); }
    [[nodiscard]] bool done() const { return m_done.load(std::memory_order_acquire) != 0; }
    /// Valid once done.
    [[nodiscard]] std::int64_t endNs() const { return m_endNs; }

private:
    std::atomic<int> m_done = 0;
    std::int64_t m_endNs = 0;
};

using CompletionPtr = std::shared_ptr<Completion>;

} // namespace ringside::platform
