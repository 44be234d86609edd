// SPDX-License-Identifier: Apache-2.0
// A small map from a handle or hash to a value. Reads take no lock; writes need the caller's mutex.
// Entries are never moved; removing one sets its value to zero. Insertion into a full table fails, and
// the caller counts it.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ringside::collector {

template <class Value, std::size_t Capacity>
class HandleTable final {
    static_assert((Capacity & (Capacity - 1)) == 0);

public:
    /// Returns Value{} if the key is unknown or 0.
    [[nodiscard]] Value find(std::uint64_t key) const
    {
        for (std::size_t probe = 0, at = place(key); probe < kProbes;
             ++probe, at = (at + 1) & (Capacity - 1)) {
            const std::uint64_t found = m_entries[at].key.load(std::memory_order_acquire);
            if (found == key) {
                return m_entries[at].value.load(std::memory_order_acquire);
            }
            if (found == 0) {
                break;
            }
        }
        return Value{};
    }

    /// Returns false if there is no room near the key's place.
    bool set(std::uint64_t key, Value value)
    {
        Entry* free = nullptr;
        for (std::size_t probe = 0, at = place(key); probe < kProbes;
             ++probe, at = (at + 1) & (Capacity - 1)) {
            Entry& entry = m_entries[at];
            const std::uint64_t found = entry.key.load(std::memory_order_relaxed);
            if (found == key) {
                entry.value.store(value, std::memory_order_release);
                return true;
            }
            if (free == nullptr && (found == 0 || entry.value.load(std::memory_order_relaxed) == Value{})) {
                free = &entry;
            }
            if (found == 0) {
                break;
            }
        }
        if (free == nullptr) {
            return false;
        }
        // The value is stored first: a reader that sees the key then sees this value or a later one. A
        // reader that still sees the old key of a reused entry asks for a destroyed handle.
        free->value.store(value, std::memory_order_release);
        free->key.store(key, std::memory_order_release);
        return true;
    }

private:
    struct Entry {
        std::atomic<std::uint64_t> key{0};
        std::atomic<Value> value{};
    };
    static constexpr std::size_t kProbes = Capacity < 64 ? Capacity : 64;
    static std::size_t place(std::uint64_t key)
    {
        return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32) & (Capacity - 1);
    }
    std::array<Entry, Capacity> m_entries{};
};

} // namespace ringside::collector
