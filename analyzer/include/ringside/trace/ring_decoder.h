// SPDX-License-Identifier: Apache-2.0
// Turns the records of a process's rings into rows. The drain thread and recovery share it, so that a
// recovered trace has exactly the rows a drained one has. Trusts nothing in the ring: bad words end the ring
// with an issue.
#pragma once
#include <ringside/trace/ring.h>
#include <ringside/trace/writer.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace ringside::trace {

class NcclRecords;
struct RingView;

/// Converts ticks to CLOCK_MONOTONIC ns from the Clock records seen so far: linear between two readings,
/// outside of them by the slope of the nearest pair. Readings that repeat or run backwards are ignored.
class TickClock final {
public:
    explicit TickClock(ClockKind kind) : m_kind(kind) {}
    void add(const ClockRecord& sample);
    [[nodiscard]] std::int64_t toMonotonicNs(std::uint64_t ticks) const; ///< 0 while not ready
    [[nodiscard]] bool ready() const; ///< at least two samples, or ClockKind::Monotonic
    [[nodiscard]] ClockKind kind() const { return m_kind; }

private:
    ClockKind m_kind;
    std::vector<ClockRecord> m_samples; ///< both ticks and ns strictly increase
};

/// One a process. Feed the Definitions ring first on every pass; a thread ring may only be read up to what
/// the definitions already explain, which holds because definitions are committed to the ring before their
/// first use.
///
/// What cannot be converted yet is held back: while the clock has one reading only, a thread ring returns
/// `from` unchanged and the definitions ring stops before its first Communicator; a text of which parts are
/// missing is not passed either. So a writer of rings must leave a second Clock record before it relies on
/// being drained.
class RingDecoder final {
public:
    explicit RingDecoder(Writer& writer);
    ~RingDecoder();

    /// Decodes all finished records of `mapping` (header and slots) from slot index `from` on, writes their
    /// rows, and returns the index after the last decoded record. Does not touch the ring. `mapping` may be
    /// hostile: a bad header or record ends that ring for good, with an issue "ring_damaged".
    std::uint64_t decode(std::span<const std::byte> mapping, std::uint64_t from);
    /// Calls the ring's owner has not returned from; none while the clock is not ready.
    [[nodiscard]] std::vector<InFlightRow> inFlightOf(std::span<const std::byte> mapping) const;
    /// Writes their rows: at the end, or at a hang.
    void decodeInFlight(std::span<const std::byte> mapping, std::optional<std::int64_t> hang = std::nullopt);
    /// CLOCK_MONOTONIC ns of a reading of the rings' clock; 0 while the clock is not ready.
    [[nodiscard]] std::int64_t toMonotonicNs(std::uint64_t ticks) const
    {
        return m_clock.toMonotonicNs(ticks);
    }
    /// A reading from elsewhere, for recovery of a ring that holds one only. Must be of the same boot of the
    /// same host.
    void addClockReading(const ClockRecord& reading) { m_clock.add(reading); }
    [[nodiscard]] bool clockReady() const { return m_clock.ready(); }
    [[nodiscard]] std::uint64_t inFlightDecoded() const { return m_inFlight; }
    [[nodiscard]] std::uint64_t recordsDecoded() const { return m_records; } ///< Pad records not counted

private:
    enum class Outcome : std::uint8_t { Decoded, HeldBack, Damaged };
    void damaged(const RingView& ring, const std::string& why);
    void scanClock(const RingView& ring, std::uint64_t from);
    Outcome decodeOne(const RingView& ring, RecordKind kind, std::span<const std::byte> record);
    Outcome decodeDefinition(RecordKind kind, std::span<const std::byte> record);
    Outcome decodeString(const StringRecord& part);
    Outcome decodeCommunicator(const CommunicatorRecord& record);
    void writeCollective(const RingView& ring, const CollectiveRecord& collective);

    Writer& m_writer;
    std::unique_ptr<NcclRecords> m_nccl;
    TickClock m_clock{ClockKind::Tsc};
    std::string m_text; ///< parts of the text being put together
    StringId m_textId = 0;
    std::unordered_set<std::uint32_t> m_endedRings; ///< ids of damaged rings
    std::uint64_t m_records = 0;
    std::uint64_t m_inFlight = 0;
};

} // namespace ringside::trace
