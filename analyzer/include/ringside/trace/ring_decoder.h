// SPDX-License-Identifier: Apache-2.0
// Turns the records of a process's rings into rows. The drain thread and recovery share it, so that a recovered trace
// has exactly the rows a drained one has. Trusts nothing in the ring: bad words end the ring with an issue.
#pragma once
#include <ringside/trace/ring.h>
#include <ringside/trace/writer.h>

#include <cstddef>
#include <span>

namespace ringside::trace {

/// Converts ticks to CLOCK_MONOTONIC ns from the Clock records seen so far.
class TickClock final {
public:
    explicit TickClock(ClockKind kind) : m_kind(kind) {}
    void add(const ClockRecord& sample);
    [[nodiscard]] std::int64_t toMonotonicNs(std::uint64_t ticks) const;
    [[nodiscard]] bool ready() const; ///< at least two samples, or ClockKind::Monotonic

private:
    ClockKind m_kind;
    ClockRecord m_first{};
    ClockRecord m_previous{};
    ClockRecord m_last{};
    int m_count = 0;
};

/// One a process. Feed the Definitions ring first on every pass; a thread ring may only be read up to what the
/// definitions already explain, which holds because definitions are committed to the ring before their first use.
class RingDecoder final {
public:
    explicit RingDecoder(Writer& writer);

    /// Decodes all finished records of `mapping` (header and slots) from slot index `from` on, writes their rows, and
    /// returns the index after the last decoded record. Does not touch the ring. `mapping` may be hostile.
    std::uint64_t decode(std::span<const std::byte> mapping, std::uint64_t from);
    /// Writes in_flight rows for calls the ring's owner had not returned from (recovery only).
    void decodeInFlight(std::span<const std::byte> mapping);

private:
    Writer& m_writer;
    TickClock m_clock{ClockKind::Tsc};
    std::string m_partialString;
};

} // namespace ringside::trace
