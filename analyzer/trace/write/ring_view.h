// SPDX-License-Identifier: Apache-2.0
// The mapping of one ring, with a checked header. Every record is copied before it is examined, because its
// owner, or someone who damaged the file, may still write. This class does not convert records to rows.
// Functions that run for every record are inline.
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

/// Returns the slots of a record of this kind, or 0 for an unknown kind and for one that contains its own
/// size.
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
    case RecordKind::NcclDetail:
    case RecordKind::CallConfig:
    case RecordKind::KernelPhase:
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
    return kind >= RecordKind::String && kind <= RecordKind::Window;
}

/// Reads a field of the mapped header in place. RingHeader contains atomics and cannot be copied as a whole.
template <class T>
T headerField(std::span<const std::byte> mapping, std::size_t offset)
{
    T value{};
    std::memcpy(&value, mapping.data() + offset, sizeof value);
    return value;
}

/// A copy of InFlight.
struct CallInFlight {
    std::uint32_t api;
    std::uint32_t communicator;
    std::uint64_t startTicks;
    std::uint64_t count;
    std::uint64_t sequence;
};
static_assert(sizeof(CallInFlight) == sizeof(InFlight));

/// Returns the call that the ring's thread is in. Null: it is in none, or began another one meanwhile.
std::optional<CallInFlight> callInFlight(std::span<const std::byte> mapping, std::size_t depth);

/// Does not own the mapping.
struct RingView {
    std::span<const std::byte> slots;
    std::uint64_t slotCount = 0;
    RingRole role{};
    ClockKind clock{};
    std::uint32_t id = 0;
    std::uint32_t thread = 0;

    /// Initializes the ring. Returns a description of what is wrong with the header, or nothing.
    std::optional<std::string> parse(std::span<const std::byte> mapping);

    /// Returns the commit word at `index`, or null if no finished record of this lap is there.
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

    /// Copies slot by slot, because a length that the compiler knows needs only a few moves.
    void copy(std::uint64_t index, unsigned count, std::span<std::byte> record) const
    {
        const std::byte* const first = slots.data() + position(index) * kSlotBytes;
        for (unsigned slot = 0; slot < count; ++slot) {
            std::memcpy(record.data() + slot * kSlotBytes, first + slot * kSlotBytes, kSlotBytes);
        }
    }

    /// Returns what is wrong with the first word of a finished record, or null. Not a std::string, because
    /// this runs for every record.
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
            return "a record that belongs to another ring";
        }
        return nullptr;
    }
};

} // namespace ringside::trace
