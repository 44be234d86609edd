// SPDX-License-Identifier: Apache-2.0
#include "delivery.h"

#include "conduct.h"

#include <signal.h>

#include <cstring>
#include <limits>
#include <system_error>
#include <thread>

namespace ringside::cupti {

Delivery& Delivery::get()
{
    static auto* delivery = new Delivery;
    return *delivery;
}

void Delivery::setCallbacks(CUpti_BuffersCallbackRequestFunc request,
                            CUpti_BuffersCallbackCompleteFunc complete)
{
    const std::lock_guard lock(m_mutex);
    m_request = request;
    m_complete = complete;
}

bool Delivery::hasCallbacks()
{
    const std::lock_guard lock(m_mutex);
    return m_request != nullptr;
}

void Delivery::append(const void* record, std::size_t size)
{
    const std::lock_guard lock(m_mutex);
    appendLocked(record, size);
}

void Delivery::appendWork(const void* record, std::size_t size)
{
    const std::optional<std::size_t>& room = Conduct::get().deviceRoom;
    const std::lock_guard lock(m_mutex);
    if (room.has_value() && m_workSinceFlush >= *room) {
        ++m_dropped;
        return;
    }
    ++m_workSinceFlush;
    appendLocked(record, size);
}

void Delivery::appendLocked(const void* record, std::size_t size)
{
    if (!makeRoomLocked(size)) {
        ++m_dropped;
        return;
    }
    std::memcpy(m_current.data + m_current.used, record, size);
    m_current.used += size;
    --m_current.recordsLeft;
}

bool Delivery::makeRoomLocked(std::size_t size)
{
    if (m_current.data != nullptr && m_current.recordsLeft > 0 && m_current.size - m_current.used >= size)
        return true;
    retireLocked();
    if (m_request == nullptr)
        return false;
    std::size_t mostRecords = 0; // 0: as many as fit
    m_request(&m_current.data, &m_current.size, &mostRecords);
    m_current.recordsLeft = mostRecords == 0 ? std::numeric_limits<std::size_t>::max() : mostRecords;
    return m_current.data != nullptr && m_current.size >= size;
}

void Delivery::retireLocked()
{
    if (m_current.data != nullptr) {
        m_full.push_back(m_current);
        startThreadLocked();
        m_wake.notify_one();
    }
    m_current = {};
}

void Delivery::startThreadLocked()
{
    if (m_threadRuns)
        return;
    try {
        std::thread([this] { deliver(); }).detach();
        m_threadRuns = true;
    } catch (const std::system_error&) {
        // A process that calls exec or ends cannot start a thread: flush() delivers instead. No exception is
        // thrown at a client, which may be C.
    }
}

void Delivery::deliver()
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (;;) {
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return !m_full.empty(); });
        }
        deliverQueued();
    }
}

void Delivery::deliverQueued()
{
    const std::lock_guard delivering(m_delivering);
    for (;;) {
        Buffer buffer;
        CUpti_BuffersCallbackCompleteFunc complete = nullptr;
        {
            const std::lock_guard lock(m_mutex);
            if (m_full.empty())
                return;
            buffer = m_full.front();
            m_full.pop_front();
            complete = m_complete;
        }
        // One buffer for all contexts and streams, as in the real library: null and 0.
        complete(nullptr, 0, buffer.data, buffer.size, buffer.used);
    }
}

void Delivery::flush()
{
    {
        const std::lock_guard lock(m_mutex);
        m_workSinceFlush = 0;
        if (m_current.used > 0)
            retireLocked();
    }
    deliverQueued();
}

std::size_t Delivery::takeDropped()
{
    const std::lock_guard lock(m_mutex);
    const std::size_t dropped = m_dropped;
    m_dropped = 0;
    return dropped;
}

} // namespace ringside::cupti
