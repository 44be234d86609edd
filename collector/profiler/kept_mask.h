// SPDX-License-Identifier: Apache-2.0
// An activation mask of NCCL, stored only where what we want has changed: in between it belongs to whoever
// sets it, such as an operator through NCCL's RAS.
#pragma once
#include <atomic>
#include <optional>

namespace ringside::collector::profiler {

class KeptMask final {
public:
    void store(int& mask, int wanted)
    {
        if (m_last != wanted) {
            std::atomic_ref(mask).store(wanted, std::memory_order_relaxed);
            m_last = wanted;
        }
    }

private:
    std::optional<int> m_last; ///< null: nothing was stored yet
};

} // namespace ringside::collector::profiler
