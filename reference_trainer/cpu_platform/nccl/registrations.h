// SPDX-License-Identifier: Apache-2.0
// Buffers that a program has registered with a communicator. Registration has no effect here; it is stored so
// that wrong handles are detected.
#pragma once
#include "errors.h"

#include <mutex>
#include <set>

namespace ringside::nccl {

class Registrations final {
public:
    /// Returns the handle of a new registration.
    [[nodiscard]] void* add(void* buffer)
    {
        require(buffer != nullptr, "the buffer is null");
        const std::lock_guard lock(m_mutex);
        m_buffers.insert(buffer);
        return buffer;
    }
    /// Throws Failure(ncclInvalidUsage) for a handle that is not registered; ignores null.
    void remove(void* handle)
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_buffers.find(handle);
        if (found != m_buffers.end())
            m_buffers.erase(found);
        else if (handle != nullptr)
            throw Failure(ncclInvalidUsage, "the handle is not of a registered buffer");
    }

private:
    std::mutex m_mutex;
    std::multiset<void*> m_buffers;
};

} // namespace ringside::nccl
