// SPDX-License-Identifier: Apache-2.0
// Gives equal texts one number. Made for a few thousand different names that millions of events carry.
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

    /// 0 for the empty text, else from 1 on in the order of first use.
    trace::StringId idOf(std::string_view text);
    [[nodiscard]] std::string_view text(trace::StringId id) const { return m_texts[id]; }
    /// Ids are below.
    [[nodiscard]] std::size_t size() const { return m_texts.size(); }

private:
    static constexpr std::size_t kFirstSlots = 1024;
    struct Slot {
        std::uint64_t hash = 0;
        trace::StringId id = 0; ///< 0: free
    };
    void grow();

    std::vector<Slot> m_slots; ///< a power of two, at most half full
    std::deque<std::string> m_texts;
};

} // namespace ringside::importers
