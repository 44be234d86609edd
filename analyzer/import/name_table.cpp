// SPDX-License-Identifier: Apache-2.0
#include "import/name_table.h"

#include <cstring>

namespace ringside::importers {
namespace {

/// Hashes eight bytes at a time, because names of kernels have hundreds of bytes. The file may be hostile: if
/// all hashes collide the table is slow, but a file has few different names.
std::uint64_t hashOf(std::string_view text)
{
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;
    std::uint64_t hash = text.size() * kMultiplier;
    const auto mix = [&](std::uint64_t word) {
        hash = (hash ^ word) * kMultiplier;
        hash ^= hash >> 29U;
    };
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, sizeof word);
        mix(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, text.data() + at, text.size() - at);
    mix(rest);
    return hash ^ hash >> 32U;
}

} // namespace

trace::StringId NameTable::idOf(std::string_view text)
{
    if (text.empty()) {
        return 0;
    }
    const std::uint64_t hash = hashOf(text);
    const std::size_t mask = m_slots.size() - 1;
    std::size_t at = hash & mask;
    while (m_slots[at].id != 0) {
        if (m_slots[at].hash == hash && m_texts[m_slots[at].id] == text) {
            return m_slots[at].id;
        }
        at = (at + 1) & mask;
    }
    const auto id = static_cast<trace::StringId>(m_texts.size());
    m_slots[at] = {hash, id};
    m_texts.emplace_back(text);
    if (2 * m_texts.size() > m_slots.size()) {
        grow();
    }
    return id;
}

void NameTable::grow()
{
    std::vector<Slot> slots(2 * m_slots.size());
    const std::size_t mask = slots.size() - 1;
    for (const Slot& slot : m_slots) {
        std::size_t at = slot.hash & mask;
        while (slot.id != 0 && slots[at].id != 0) {
            at = (at + 1) & mask;
        }
        if (slot.id != 0) {
            slots[at] = slot;
        }
    }
    m_slots = std::move(slots);
}

} // namespace ringside::importers
