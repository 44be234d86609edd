// SPDX-License-Identifier: Apache-2.0
#include "device/buffer_pool.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace ringside::collector {
namespace {

constexpr std::align_val_t kAlignment{64};

// Memory for CUPTI if no other is available: writable, but its records are not read.
alignas(64) std::uint8_t g_lastResort[64 << 10];

} // namespace

BufferPool::~BufferPool()
{
    for (const Finished& buffer : m_finished) {
        m_free.push_back(buffer.data);
    }
    for (std::uint8_t* buffer : m_free) {
        ::operator delete(buffer, kAlignment);
    }
}

/// Returns null if memory is exhausted. Each list reserves room for all buffers, so that CUPTI's callbacks
/// never throw: exceptions must not pass through CUPTI.
std::uint8_t* BufferPool::allocate(std::size_t bytes)
try {
    const std::size_t buffers = m_all.size() + 1;
    if (m_all.capacity() < buffers) {
        m_finished.reserve(2 * buffers);
        m_free.reserve(2 * buffers);
        m_all.reserve(2 * buffers);
    }
    auto* const buffer = static_cast<std::uint8_t*>(::operator new(bytes, kAlignment, std::nothrow));
    if (buffer != nullptr) {
        m_all.push_back(buffer);
    }
    return buffer;
} catch (const std::bad_alloc&) {
    return nullptr;
}

std::size_t BufferPool::sizeOf(const std::uint8_t* buffer)
{
    return buffer == g_lastResort ? sizeof g_lastResort : kBufferBytes;
}

std::uint8_t* BufferPool::request()
{
    Finished givenUp{nullptr, 0};
    std::uint8_t* buffer = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_free.empty()) {
            buffer = m_free.back();
            m_free.pop_back();
        } else if (m_all.size() < kMostBuffers || m_finished.empty()) {
            buffer = allocate(kBufferBytes);
        }
        if (buffer == nullptr && !m_finished.empty()) {
            givenUp = m_finished.front();
            m_finished.erase(m_finished.begin());
            buffer = givenUp.data;
        }
        m_handedOut += buffer != nullptr ? 1 : 0;
    }
    if (givenUp.data != nullptr) {
        m_lostRecords += m_countRecords(givenUp.data, givenUp.validBytes);
    }
    return buffer != nullptr ? buffer : g_lastResort;
}

void BufferPool::finish(std::uint8_t* buffer, std::size_t validBytes)
{
    const std::scoped_lock lock(m_mutex);
    if (buffer == g_lastResort) { // several threads may have written into it at once
        m_unreadBuffers += validBytes != 0 ? 1 : 0;
        return;
    }
    --m_handedOut;
    if (validBytes == 0) {
        m_free.push_back(buffer);
    } else {
        m_finished.push_back({buffer, validBytes});
    }
}

void BufferPool::finishCopy(const std::uint8_t* buffer, std::size_t validBytes)
{
    const std::scoped_lock lock(m_mutex);
    std::uint8_t* const copy = allocate(std::max(kBufferBytes, validBytes));
    if (copy == nullptr) {
        ++m_unreadBuffers;
        return;
    }
    std::memcpy(copy, buffer, validBytes);
    m_finished.push_back({copy, validBytes});
}

bool BufferPool::owns(const std::uint8_t* buffer)
{
    const std::scoped_lock lock(m_mutex);
    return buffer == g_lastResort || std::ranges::find(m_all, buffer) != m_all.end();
}

std::size_t BufferPool::handedOut()
{
    const std::scoped_lock lock(m_mutex);
    return m_handedOut;
}

std::vector<BufferPool::Finished> BufferPool::takeFinished()
{
    const std::scoped_lock lock(m_mutex);
    std::vector<Finished> taken(m_finished);
    m_finished.clear(); // keeps its capacity
    return taken;
}

void BufferPool::giveBack(std::uint8_t* buffer)
{
    const std::scoped_lock lock(m_mutex);
    m_free.push_back(buffer);
}

} // namespace ringside::collector
