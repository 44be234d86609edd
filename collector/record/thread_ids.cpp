// SPDX-License-Identifier: Apache-2.0
#include "record/thread_ids.h"

#include <pthread.h>

#include <algorithm>

namespace ringside::collector {

std::uint32_t ThreadIds::ofThisThread()
{
    return static_cast<std::uint32_t>(pthread_self());
}

void ThreadIds::begin(std::uint32_t handle, std::uint32_t tid, std::int64_t nowNs)
{
    const std::scoped_lock lock(m_mutex);
    std::vector<Thread>& threads = m_threads[handle];
    if (threads.size() >= kMostThreads) {
        threads.erase(threads.begin());
    }
    threads.push_back({tid, nowNs});
}

void ThreadIds::end(std::uint32_t handle, std::int64_t nowNs)
{
    const std::scoped_lock lock(m_mutex);
    std::vector<Thread>& threads = m_threads[handle];
    const auto alive = std::ranges::find(threads, std::numeric_limits<std::int64_t>::max(), &Thread::endNs);
    if (alive != threads.end()) {
        alive->endNs = nowNs;
    }
}

std::uint32_t ThreadIds::tidAt(std::uint32_t handle, std::int64_t timeNs) const
{
    const std::scoped_lock lock(m_mutex);
    const auto found = m_threads.find(handle);
    if (found == m_threads.end()) {
        return 0;
    }
    const std::vector<Thread>& threads = found->second;
    const auto first =
        std::ranges::find_if(threads, [&](const Thread& each) { return timeNs <= each.endNs; });
    const bool ambiguous =
        first != threads.end() && std::any_of(first + 1, threads.end(), [&](const Thread& each) {
            return each.beginNs <= timeNs && timeNs <= each.endNs;
        });
    return first == threads.end() || ambiguous ? 0 : first->tid;
}

} // namespace ringside::collector
