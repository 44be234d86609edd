// SPDX-License-Identifier: Apache-2.0
// Converts the records of a process's rings into rows. The drain thread and recovery share it, so that a
// recovered trace has the same rows as a drained one. The contents of rings are not trusted: a damaged record
// ends the ring with an issue.
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

/// Converts ticks to CLOCK_MONOTONIC ns with the Clock records read so far: by linear interpolation between
/// two readings, and by the slope of the nearest pair outside of them. Readings that repeat or run backwards
/// are ignored.
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

/// One object per process. On every pass, the definitions ring must be decoded first. A thread's ring may
/// only be read up to what the definitions already cover, which holds because definitions are committed to
/// the ring before their first use.
///
/// What cannot be converted yet is held back. While the clock has one reading only, a thread's ring returns
/// `from` unchanged, and the definitions ring stops before its first Communicator. A text whose parts are
/// incomplete is not passed either. A writer of rings must therefore write a second Clock record before it
/// relies on being drained.
class RingDecoder final {
public:
    explicit RingDecoder(Writer& writer);
    ~RingDecoder();

    /// Decodes all finished records of `mapping` (header and slots) from slot index `from`, writes their
    /// rows, and returns the index after the last decoded record. Does not change the ring. `mapping` may be
    /// hostile: a damaged header or record ends this ring permanently, with an issue "ring_damaged".
    std::uint64_t decode(std::span<const std::byte> mapping, std::uint64_t from);
    /// Calls from which the ring's owner has not returned; none while the clock is not ready.
    [[nodiscard]] std::vector<InFlightRow> inFlightOf(std::span<const std::byte> mapping) const;
    /// Writes the rows of these calls, at the end or at a hang.
    void decodeInFlight(std::span<const std::byte> mapping, std::optional<std::int64_t> hang = std::nullopt);
    /// Converts a reading of the rings' clock to CLOCK_MONOTONIC ns. Returns 0 while the clock is not ready.
    [[nodiscard]] std::int64_t toMonotonicNs(std::uint64_t ticks) const
    {
        return m_clock.toMonotonicNs(ticks);
    }
    /// Adds a reading from elsewhere, for the recovery of a ring that has only one. It must be from the same
    /// boot of the same host.
    void addClockReading(const ClockRecord& reading) { m_clock.add(reading); }
    [[nodiscard]] bool clockReady() const { return m_clock.ready(); }
    [[nodiscard]] std::uint64_t inFlightDecoded() const { return m_inFlight; }
    [[nodiscard]] std::uint64_t recordsDecoded() const { return m_records; } ///< Pad records are not counted

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
    std::string m_text; ///< parts of an incomplete text
    StringId m_textId = 0;
    std::unordered_set<std::uint32_t> m_endedRings; ///< ids of damaged rings
    std::uint64_t m_records = 0;
    std::uint64_t m_inFlight = 0;
};

} // namespace ringside::trace
