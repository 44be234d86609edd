// SPDX-License-Identifier: Apache-2.0
// One ring's mapping, its header checked. Every record is copied out before it is looked at: its owner, or
// whoever damaged the file, may still write. Turns nothing into rows. What runs for every record is inline.
#pragma once
#include <ringside/trace/ring.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace ringside::trace {

constexpr std::size_t kMaxRecordBytes = 3 * kSlotBytes;

/// Slots a record of this kind takes; 0: unknown kind, or one that says its size itself.
constexpr std::uint8_t slotsOf(RecordKind kind)
{
    switch (kind) {
    case RecordKind::Call:
    case RecordKind::Stream:
    case RecordKind::Clock:
    case RecordKind::Thread:
    case RecordKind::Sample:
        return 1;
    case RecordKind::Memory:
    case RecordKind::Group:
    case RecordKind::Range:
    case RecordKind::Step:
    case RecordKind::ChannelTime:
    case RecordKind::EventTime:
        return 2;
    case RecordKind::Collective:
    case RecordKind::NcclOperation:
    case RecordKind::ProxyStep:
    case RecordKind::GraphLaunch:
    case RecordKind::String:
    case RecordKind::Communicator:
    case RecordKind::Series:
    case RecordKind::Window:
        return 3;
    default:
        return 0;
    }
}

constexpr bool isDefinition(RecordKind kind)
{
    return kind >= RecordKind::String;
}

/// A field of the mapped header, read where it lies (RingHeader holds atomics and cannot be copied as a
/// whole).
template <class T>
T headerField(std::span<const std::byte> mapping, std::size_t offset)
{
    T value{};
    std::memcpy(&value, mapping.data() + offset, sizeof value);
    return value;
}

/// Borrows the mapping.
struct RingView {
    std::span<const std::byte> slots;
    std::uint64_t slotCount = 0;
    RingRole role{};
    ClockKind clock{};
    std::uint32_t id = 0;
    std::uint32_t thread = 0;

    /// Fills the ring; returns what is wrong with the header, or nothing.
    std::optional<std::string> parse(std::span<const std::byte> mapping);

    /// The commit word at `index`, or nothing when no finished record of this lap is there.
    [[nodiscard]] std::optional<CommitWord> commitAt(std::uint64_t index) const
    {
        const auto* const word =
            reinterpret_cast<const std::uint64_t*>(slots.data() + position(index) * kSlotBytes);
        const auto commit = std::bit_cast<CommitWord>(__atomic_load_n(word, __ATOMIC_ACQUIRE));
        const bool finished =
            commit.sequence == static_cast<std::uint32_t>(index + 1) && commit.kind != RecordKind::None;
        return finished ? std::optional<CommitWord>(commit) : std::nullopt;
    }

    [[nodiscard]] std::uint64_t position(std::uint64_t index) const { return index & (slotCount - 1); }

    /// Slot by slot: a length known to the compiler is a few moves, another one a call.
    void copy(std::uint64_t index, unsigned count, std::span<std::byte> record) const
    {
        const std::byte* const first = slots.data() + position(index) * kSlotBytes;
        for (unsigned slot = 0; slot < count; ++slot) {
            std::memcpy(record.data() + slot * kSlotBytes, first + slot * kSlotBytes, kSlotBytes);
        }
    }

    /// What is wrong with a finished record's first word, or null. No string: this runs for every record.
    [[nodiscard]] const char* check(const CommitWord& commit, std::uint64_t index) const
    {
        const bool pad = commit.kind == RecordKind::Pad;
        if (!pad && slotsOf(commit.kind) == 0) {
            return "a record of an unknown kind";
        }
        if (commit.slots < 1 || commit.slots > 3 || (!pad && commit.slots != slotsOf(commit.kind)) ||
            position(index) + commit.slots > slotCount) {
            return "a record of an impossible size";
        }
        if (!pad && isDefinition(commit.kind) != (role == RingRole::Definitions)) {
            return "a record that belongs into another ring";
        }
        return nullptr;
    }
};

} // namespace ringside::trace
