// SPDX-License-Identifier: Apache-2.0
// A loop on several threads, for few and large pieces of work: files and chunks.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ringside::trace {

/// Number of useful threads on this machine, at least 1.
inline unsigned coreCount()
{
    const unsigned cores = std::thread::hardware_concurrency();
    return cores > 0 ? cores : 1;
}

/// Calls `work(i)` for every i below `count`, in any order, on up to `threads` threads, and returns when all
/// calls have returned. Rethrows the first exception; calls that have not begun by then are skipped.
template <class Work>
void parallelFor(std::size_t count, unsigned threads, const Work& work)
{
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto loop = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                work(i);
            }
        } catch (...) {
            next = count;
            const std::scoped_lock lock(mutex);
            failure = failure ? failure : std::current_exception();
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (unsigned i = 1; i < threads && i < count; ++i) {
            helpers.emplace_back(loop);
        }
        loop();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace ringside::trace
