// SPDX-License-Identifier: Apache-2.0
// Buffers that CUPTI fills and the drain thread reads. Requests never get null (CUPTI before 12.9 crashes on
// it): beyond the cap the oldest finished buffer is given up and counted. Called on CUPTI's and the program's
// threads: a short lock, no I/O.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ringside::collector {

class BufferPool final {
public:
    static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

    struct Finished {
        std::uint8_t* data;
        std::size_t validBytes;
    };

    BufferPool() = default;
    ~BufferPool(); ///< frees what came back; CUPTI must have let go of the rest
    BufferPool(const BufferPool&) = delete;
    BufferPool& operator=(const BufferPool&) = delete;

    std::uint8_t* request();
    [[nodiscard]] static std::size_t sizeOf(const std::uint8_t* buffer);
    void finish(std::uint8_t* buffer, std::size_t validBytes);
    [[nodiscard]] std::vector<Finished> takeFinished();
    void giveBack(std::uint8_t* buffer);
    [[nodiscard]] std::uint64_t lostBuffers() const { return m_lost.load(std::memory_order_relaxed); }

private:
    static constexpr std::size_t kMostBuffers = 128;
    std::mutex m_mutex;
    std::vector<std::uint8_t*> m_free;
    std::vector<Finished> m_finished;
    std::size_t m_allocated = 0;
    std::atomic<std::uint64_t> m_lost{0};
};

} // namespace ringside::collector
