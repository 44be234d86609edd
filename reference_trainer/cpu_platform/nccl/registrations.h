// SPDX-License-Identifier: Apache-2.0
// Buffers that a program has registered with a communicator. Registration changes nothing here; it is kept so
// that wrong handles are found.
#pragma once
#include "errors.h"

#include <mutex>
#include <set>

namespace ringside::nccl {

class Registrations final {
public:
    /// The handle of one more registration.
    [[nodiscard]] void* add(void* buffer)
    {
        require(buffer != nullptr, "the buffer is null");
        const std::lock_guard lock(m_mutex);
        m_buffers.insert(buffer);
        return buffer;
    }
    /// Failure(ncclInvalidUsage) for what is not registered; null is nothing to remove.
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
