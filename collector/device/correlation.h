// SPDX-License-Identifier: Apache-2.0
// Links device work to the NCCL call that launched it, by an external correlation id around the real
// call. Active only while CUPTI is on.
#pragma once
#include <atomic>
#include <cstdint>

namespace ringside::collector {

extern std::atomic<bool> g_deviceTierOn;
/// Number of calls whose kernels NCCL launched from its own thread without reporting which call they
/// belong to.
extern std::atomic<std::uint64_t> g_untiedCalls;
void pushCorrelation(std::uint64_t id);
void popCorrelation();

class CorrelationScope final {
public:
    explicit CorrelationScope(std::uint64_t id)
        : m_pushed(id != 0 && g_deviceTierOn.load(std::memory_order_acquire))
    {
        if (m_pushed) {
            pushCorrelation(id);
        }
    }
    ~CorrelationScope()
    {
        if (m_pushed) {
            popCorrelation();
        }
    }
    CorrelationScope(const CorrelationScope&) = delete;
    CorrelationScope& operator=(const CorrelationScope&) = delete;

private:
    bool m_pushed;
};

} // namespace ringside::collector
