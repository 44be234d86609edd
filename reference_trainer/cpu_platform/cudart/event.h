// SPDX-License-Identifier: Apache-2.0
// Events: the completion of a marker in a stream, replaced at every record.
#pragma once
#include "completion.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>

namespace ringside::platform {

class Event final {
public:
    Event(int device, unsigned flags) : m_device(device), m_timed((flags & cudaEventDisableTiming) == 0) {}
    void record(CompletionPtr marker)
    {
        const std::lock_guard lock(m_mutex);
        m_marker = std::move(marker);
    }
    /// Null before the first record.
    [[nodiscard]] CompletionPtr recorded() const
    {
        const std::lock_guard lock(m_mutex);
        return m_marker;
    }
    [[nodiscard]] int device() const { return m_device; }
    [[nodiscard]] bool timed() const { return m_timed; }

private:
    const int m_device;
    const bool m_timed;
    mutable std::mutex m_mutex;
    CompletionPtr m_marker;
};

/// Null for a handle that is not valid.
[[nodiscard]] std::shared_ptr<Event> findEvent(cudaEvent_t handle);

} // namespace ringside::platform
