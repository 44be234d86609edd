// SPDX-License-Identifier: Apache-2.0
// Assigns ids to texts, the same id to equal texts. Designed for a few thousand different names in millions
// of events.
#pragma once
#include <ringside/trace/rows.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers {

class NameTable final {
public:
    NameTable() : m_slots(kFirstSlots) { m_texts.emplace_back(); }

    /// Returns the id of a text: 0 for the empty text, otherwise from 1 on in the order of first use.
    trace::StringId idOf(std::string_view text);
    [[nodiscard]] std::string_view text(trace::StringId id) const { return m_texts[id]; }
    /// Returns the number of ids, including 0. All ids are below it.
    [[nodiscard]] std::size_t size() const { return m_texts.size(); }

private:
    static constexpr std::size_t kFirstSlots = 1024;
    struct Slot {
        std::uint64_t hash = 0;
        trace::StringId id = 0; ///< 0 if the slot is free
    };
    void grow();

    std::vector<Slot> m_slots; ///< hash table; its size is a power of two, and it is at most half full
    std::deque<std::string> m_texts;
};

} // namespace ringside::importers
