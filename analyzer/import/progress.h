// SPDX-License-Identifier: Apache-2.0
// Reports the progress of an import. Several threads may report at the same time.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace ringside::importers {

/// Bytes of files as stored on disk, so compressed if the file is.
struct ProgressState {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
};

class Progress final {
public:
    using Show = std::function<void(const ProgressState&)>;
    /// `show` may be empty. It is called at most ten times a second, by one thread at a time.
    explicit Progress(Show show = {}) : m_show(std::move(show)) {}

    /// Adds bytes to the total that is to be read.
    void expect(std::uint64_t bytes) { m_total += bytes; }
    /// Adds bytes that were read.
    void add(std::uint64_t bytes)
    {
        constexpr auto kEvery = std::chrono::milliseconds(100);
        m_done += bytes;
        const std::unique_lock lock(m_mutex, std::try_to_lock);
        const auto now = std::chrono::steady_clock::now();
        if (m_show && lock && now - m_shown >= kEvery) {
            m_shown = now;
            m_show({m_done, m_total});
        }
    }

private:
    Show m_show;
    std::mutex m_mutex;
    std::chrono::steady_clock::time_point m_shown = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> m_done{0};
    std::atomic<std::uint64_t> m_total{0};
};

} // namespace ringside::importers
