// SPDX-License-Identifier: Apache-2.0
// Events: the completion of a marker in a stream, replaced at every record; or, if recorded in a capture, a
// point of the captured graph.
#pragma once
#include "completion.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <utility>

namespace ringside::platform {

struct CapturedPoint;

class Event final {
public:
    Event(int device, unsigned flags) : m_device(device), m_timed((flags & cudaEventDisableTiming) == 0) {}
    void record(CompletionPtr marker)
    {
        // freed outside of the lock, because a whole graph may be freed with it
        std::shared_ptr<const CapturedPoint> old;
        const std::lock_guard lock(m_mutex);
        m_marker = std::move(marker);
        m_captured.swap(old);
    }
    void recordCaptured(std::shared_ptr<const CapturedPoint> point)
    {
        std::shared_ptr<const CapturedPoint> old; // as above
        const std::lock_guard lock(m_mutex);
        old = std::exchange(m_captured, std::move(point));
    }
    /// Returns null before the first record.
    [[nodiscard]] CompletionPtr recorded() const
    {
        const std::lock_guard lock(m_mutex);
        return m_marker;
    }
    /// Returns null unless the last record was in a capture.
    [[nodiscard]] std::shared_ptr<const CapturedPoint> captured() const
    {
        const std::lock_guard lock(m_mutex);
        return m_captured;
    }
    [[nodiscard]] int device() const { return m_device; }
    [[nodiscard]] bool timed() const { return m_timed; }

private:
    const int m_device;
    const bool m_timed;
    mutable std::mutex m_mutex;
    CompletionPtr m_marker;
    std::shared_ptr<const CapturedPoint> m_captured;
};

/// Returns null for an invalid handle.
[[nodiscard]] std::shared_ptr<Event> findEvent(cudaEvent_t handle);
/// Invalidates the handles of a device's events.
void destroyEvents(int device);

} // namespace ringside::platform
