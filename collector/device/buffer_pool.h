// SPDX-License-Identifier: Apache-2.0
// Buffers that CUPTI fills and the drain thread reads. A request never returns null, because CUPTI
// before 12.9 crashes then: beyond the limit the oldest full buffer is discarded and its records are
// counted. Called on threads of CUPTI and of the program: a short lock, no I/O.
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

    /// Returns the number of records in a buffer, which only CUPTI can count.
    using CountRecords = std::size_t (*)(std::uint8_t* buffer, std::size_t validBytes);

    explicit BufferPool(CountRecords countRecords) : m_countRecords(countRecords) {}
    ~BufferPool(); ///< frees returned buffers; CUPTI must have released the others
    BufferPool(const BufferPool&) = delete;
    BufferPool& operator=(const BufferPool&) = delete;

    std::uint8_t* request();
    [[nodiscard]] static std::size_t sizeOf(const std::uint8_t* buffer);
    void finish(std::uint8_t* buffer, std::size_t validBytes);
    /// Copies our records from another client's buffer, which stays with that client.
    void finishCopy(const std::uint8_t* buffer, std::size_t validBytes);
    /// Whether the buffer belongs to this pool.
    [[nodiscard]] bool owns(const std::uint8_t* buffer);
    [[nodiscard]] std::vector<Finished> takeFinished();
    void giveBack(std::uint8_t* buffer);
    /// Number of buffers that CUPTI holds.
    [[nodiscard]] std::size_t handedOut();
    /// Number of records in buffers that were discarded because too many waited to be read.
    [[nodiscard]] std::uint64_t lostRecords() const { return m_lostRecords.load(std::memory_order_relaxed); }
    /// Number of buffers that could not hold records because memory was out. The number of their records
    /// is not known.
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
