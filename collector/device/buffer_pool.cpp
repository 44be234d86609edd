// SPDX-License-Identifier: Apache-2.0
#include "device/buffer_pool.h"

#include <new>
#include <utility>

namespace ringside::collector {
namespace {

constexpr std::align_val_t kAlignment{64};

std::uint8_t* allocate()
{
    return static_cast<std::uint8_t*>(::operator new(BufferPool::kBufferBytes, kAlignment, std::nothrow));
}

// What CUPTI gets when memory is out: something writable. Its records are not read.
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

std::size_t BufferPool::sizeOf(const std::uint8_t* buffer)
{
    return buffer == g_lastResort ? sizeof g_lastResort : kBufferBytes;
}

std::uint8_t* BufferPool::request()
{
    const std::scoped_lock lock(m_mutex);
    std::uint8_t* buffer = nullptr;
    if (!m_free.empty()) {
        buffer = m_free.back();
        m_free.pop_back();
    } else if (m_allocated < kMostBuffers || m_finished.empty()) {
        buffer = allocate();
        m_allocated += buffer != nullptr ? 1 : 0;
    }
    if (buffer == nullptr && !m_finished.empty()) {
        buffer = m_finished.front().data;
        m_finished.erase(m_finished.begin());
        ++m_lost;
    }
    return buffer != nullptr ? buffer : g_lastResort;
}

void BufferPool::finish(std::uint8_t* buffer, std::size_t validBytes)
{
    const std::scoped_lock lock(m_mutex);
    if (buffer == g_lastResort) {
        ++m_lost;
    } else if (validBytes == 0) {
        m_free.push_back(buffer);
    } else {
        m_finished.push_back({buffer, validBytes});
    }
}

std::vector<BufferPool::Finished> BufferPool::takeFinished()
{
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_finished, {});
}

void BufferPool::giveBack(std::uint8_t* buffer)
{
    const std::scoped_lock lock(m_mutex);
    m_free.push_back(buffer);
}

} // namespace ringside::collector
