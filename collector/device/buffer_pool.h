// SPDX-License-Identifier: Apache-2.0
// Buffers that CUPTI fills and the drain thread reads. Requests never get null (CUPTI before 12.9 crashes on
// it): beyond the cap the oldest finished buffer is given up and its records are counted. Called on CUPTI's
// and the program's threads: a short lock, no I/O.
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

    /// How many records a buffer holds, which only CUPTI can tell.
    using CountRecords = std::size_t (*)(std::uint8_t* buffer, std::size_t validBytes);

    explicit BufferPool(CountRecords countRecords) : m_countRecords(countRecords) {}
    ~BufferPool(); ///< frees what came back; CUPTI must have let go of the rest
    BufferPool(const BufferPool&) = delete;
    BufferPool& operator=(const BufferPool&) = delete;

    std::uint8_t* request();
    [[nodiscard]] static std::size_t sizeOf(const std::uint8_t* buffer);
    void finish(std::uint8_t* buffer, std::size_t validBytes);
    /// Our records in another client's buffer, which stays its own.
    void finishCopy(const std::uint8_t* buffer, std::size_t validBytes);
    /// Whether it came from here.
    [[nodiscard]] bool owns(const std::uint8_t* buffer);
    [[nodiscard]] std::vector<Finished> takeFinished();
    void giveBack(std::uint8_t* buffer);
    /// Buffers that CUPTI has.
    [[nodiscard]] std::size_t handedOut();
    /// Of buffers that were given up because too many waited to be read.
    [[nodiscard]] std::uint64_t lostRecords() const { return m_lostRecords.load(std::memory_order_relaxed); }
    /// Filled without room for their records, while memory was out: nobody knows how many those were.
    [[nodiscard]] std::uint64_t unreadBuffers() const
    {
        return m_unreadBuffers.load(std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t kMostBuffers = 128;
    std::mutex m_mutex;
    [[nodiscard]] std::uint8_t* allocate(std::size_t bytes);

    std::vector<const std::uint8_t*> m_all;
    std::vector<std::uint8_t*> m_free;
    std::vector<Finished> m_finished;
    std::size_t m_handedOut = 0;
    CountRecords m_countRecords;
    std::atomic<std::uint64_t> m_lostRecords{0};
    std::atomic<std::uint64_t> m_unreadBuffers{0};
};

} // namespace ringside::collector
