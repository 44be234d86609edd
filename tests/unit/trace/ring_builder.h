// SPDX-License-Identifier: Apache-2.0
// A ring in memory, written as the collector writes one: for the decoder's and recovery's tests, and for fuzz
// seeds.
#pragma once
#include <ringside/trace/ring.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ringside::test {

class RingBuilder final {
public:
    RingBuilder(trace::RingRole role, std::uint32_t ringId, std::uint64_t slotCount,
                trace::ClockKind clock = trace::ClockKind::Monotonic);

    /// Appends a record and sets its commit word; pads to the end where it would wrap.
    template <class Record>
    RingBuilder& add(trace::RecordKind kind, Record record);
    RingBuilder& call(std::uint64_t start, std::uint64_t end, std::uint32_t api = 1);
    RingBuilder& text(std::uint32_t id, const std::string& text);

    [[nodiscard]] trace::RingHeader& header()
    {
        return *reinterpret_cast<trace::RingHeader*>(m_words.data());
    }
    [[nodiscard]] std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(m_words)); }
    [[nodiscard]] std::byte* slot(std::uint64_t index);
    [[nodiscard]] std::uint64_t head() const { return m_head; }
    void save(const std::filesystem::path& file);

private:
    void put(std::span<std::byte> record, trace::RecordKind kind);
    std::vector<std::uint64_t> m_words;
    std::uint64_t m_slotCount;
    std::uint64_t m_head = 0;
};

/// A folder below `place` as the collector makes it for rings, or the one that is there.
inline std::filesystem::path makeRingFolder(const std::filesystem::path& place)
{
    std::filesystem::path folder = place / "ringside-1000-AbCdEf";
    std::filesystem::create_directories(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    return folder;
}

template <class Record>
RingBuilder& RingBuilder::add(trace::RecordKind kind, Record record)
{
    put(std::as_writable_bytes(std::span(&record, 1)), kind);
    return *this;
}

} // namespace ringside::test
