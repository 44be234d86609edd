// SPDX-License-Identifier: Apache-2.0
// The ids of the launch configurations that kernels had so far. A hash table of its own, because it is asked
// for every kernel: a training repeats a few hundred configurations in any order, and each is found at the
// cost of one comparison.
#pragma once
#include "abi/cupti.h"

#include <ringside/trace/rows.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ringside::collector {

/// A launch configuration and the name of its kernel, in words.
class LaunchKey final {
public:
    LaunchKey() = default;
    LaunchKey(trace::StringId name, const cupti::Shape& shape)
    {
        cupti::Shape named = shape;
        named.padding = name;
        std::memcpy(m_words, &named, sizeof named);
    }
    [[nodiscard]] bool operator==(const LaunchKey& other) const
    {
        return ((m_words[0] ^ other.m_words[0]) | (m_words[1] ^ other.m_words[1]) |
                (m_words[2] ^ other.m_words[2]) | (m_words[3] ^ other.m_words[3]) |
                (m_words[4] ^ other.m_words[4])) == 0;
    }
    /// The high bits depend on all words.
    [[nodiscard]] std::uint64_t hash() const
    {
        // odd numbers without a pattern: digits of the golden ratio, of roots and of pi
        return (m_words[0] * 0x9E3779B97F4A7C15U) ^ (m_words[1] * 0xC2B2AE3D27D4EB4FU) ^
               (m_words[2] * 0x165667B19E3779F9U) ^ (m_words[3] * 0xBB67AE8584CAA73BU) ^
               (m_words[4] * 0x243F6A8885A308D3U);
    }

private:
    std::uint64_t m_words[5]{};
    static_assert(sizeof(cupti::Shape) == sizeof m_words);
};

class LaunchIds final {
public:
    /// Returns the id of a configuration; null if it is not in the table.
    [[nodiscard]] const std::uint32_t* find(const LaunchKey& key) const
    {
        for (std::size_t i = key.hash() >> m_shift;; i = (i + 1) % m_entries.size()) {
            const Entry& entry = m_entries[i];
            if (entry.key == key && entry.isUsed) {
                return &entry.id;
            }
            if (!entry.isUsed) {
                return nullptr;
            }
        }
    }
    /// Adds a configuration that is not in the table.
    void add(const LaunchKey& key, std::uint32_t id)
    {
        if (2 * (m_size + 1) > m_entries.size()) { // at most half full, so a search is short and ends
            grow();
        }
        place({key, id, true});
        ++m_size;
    }
    [[nodiscard]] std::size_t size() const { return m_size; }

private:
    static constexpr unsigned kFirstBits = 10;
    static constexpr unsigned kWordBits = 64;
    struct Entry {
        LaunchKey key;
        std::uint32_t id = 0;
        bool isUsed = false;
    };

    void place(const Entry& entry)
    {
        std::size_t i = entry.key.hash() >> m_shift;
        while (m_entries[i].isUsed) {
            i = (i + 1) % m_entries.size();
        }
        m_entries[i] = entry;
    }
    void grow()
    {
        std::vector<Entry> before(2 * m_entries.size());
        before.swap(m_entries);
        --m_shift;
        for (const Entry& entry : before) {
            if (entry.isUsed) {
                place(entry);
            }
        }
    }

    std::vector<Entry> m_entries = std::vector<Entry>(std::size_t{1} << kFirstBits); ///< a power of two
    unsigned m_shift = kWordBits - kFirstBits;                                       ///< of a hash to a place
    std::size_t m_size = 0;
};

} // namespace ringside::collector
