// SPDX-License-Identifier: Apache-2.0
// The writing side of a ring file (ringside/trace/ring.h has the layout). One thread writes; the drain
// thread moves the tail. It never blocks, allocates or makes a system call. If the ring is full the
// record is dropped and counted. Rings are never unmapped, because a thread may be writing when
// recording stops.
#pragma once
#include "record/clock.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace ringside::collector {

/// Wakes the drain thread early. Cheap if that was already requested.
void requestDrain();

class Ring final {
public:
    enum class Use : int { Owned, OwnerGone, Free };

    /// `mapping` is a zeroed ring file: header page, then a power of two of slots.
    Ring(std::span<std::byte> mapping, std::string path);

    /// Returns space for one record, or null if the ring is full (then it is counted). Fill it, then
    /// call commit().
    template <class Record>
    [[nodiscard]] Record* reserve()
    {
        constexpr std::uint64_t kSlots = sizeof(Record) / trace::kSlotBytes;
        static_assert(sizeof(Record) % trace::kSlotBytes == 0 && kSlots <= 3);
        if (m_head + 2 * kSlots > m_softLimit) [[unlikely]] {
            if (!makeRoom(2 * kSlots)) {
                return nullptr;
            }
        }
        if (kSlots > 1 && (m_head & m_mask) + kSlots > m_mask + 1) [[unlikely]] {
            pad();
        }
        return reinterpret_cast<Record*>(slotAt(m_head));
    }

    /// Makes the record visible by storing the commit word after the payload. `stream`: used by Call
    /// records.
    template <class Record>
    void commit(Record* record, trace::RecordKind kind, std::uint16_t stream = 0)
    {
        constexpr std::uint8_t kSlots = sizeof(Record) / trace::kSlotBytes;
        publish(record, kind, kSlots, stream);
    }

    [[nodiscard]] trace::RingHeader& header() { return *m_header; }
    [[nodiscard]] const trace::RingHeader& header() const { return *m_header; }
    [[nodiscard]] std::span<const std::byte> mapping() const { return m_mapping; }
    [[nodiscard]] const std::string& path() const { return m_path; }

    std::atomic<Use> use{Use::Owned};
    std::uint64_t decodedTo = 0; ///< of the drain thread alone
    /// The state of the ring's thread. Kept reachable here because a leak checker would report it in a
    /// forked child, where the thread does not exist.
    const void* owner = nullptr;

private:
    [[gnu::cold]] bool makeRoom(std::uint64_t slots);
    [[gnu::cold]] void pad();
    void publish(void* record, trace::RecordKind kind, std::uint8_t slots, std::uint16_t stream = 0)
    {
        const std::uint64_t head = m_head; // once: for the compiler, the record might lie over it
        const trace::CommitWord word{static_cast<std::uint32_t>(head + 1), kind, slots, stream};
        std::uint64_t bits = 0;
        std::memcpy(&bits, &word, sizeof bits);
        std::atomic_ref<std::uint64_t>(*static_cast<std::uint64_t*>(record))
            .store(bits, std::memory_order_release);
        m_head = head + slots;
        m_header->head.store(head + slots, std::memory_order_release);
    }
    [[nodiscard]] std::byte* slotAt(std::uint64_t index) const
    {
        return m_slots + (index & m_mask) * trace::kSlotBytes;
    }

    trace::RingHeader* m_header;
    std::byte* m_slots;
    std::uint64_t m_mask;
    std::uint64_t m_head = 0;
    std::uint64_t m_softLimit; ///< up to here no look at the tail is needed
    std::span<std::byte> m_mapping;
    std::string m_path;
};

} // namespace ringside::collector
