// SPDX-License-Identifier: Apache-2.0
// Rows of the records of NCCL's profiler plugin: operations, the times of their channels on the GPU, messages
// of the proxy thread. Part of the ring decoder; records are not trusted.
#pragma once
#include <ringside/trace/ring_decoder.h>

#include <cstdint>
#include <limits>
#include <map>

namespace ringside::trace {

/// Offset of a GPU's globaltimer to the host's clock. A time is reported after it happened, which bounds the
/// offset (host - GPU) from above. It happened after its launch began, which bounds the offset from below.
/// Bounds older than two seconds are discarded, because the clocks drift.
class DeviceTimer final {
public:
    void happenedBefore(std::int64_t deviceNs, std::int64_t hostNs);
    void happenedAfter(std::int64_t deviceNs, std::int64_t hostNs);
    /// Converts to the host's clock with the upper bound, so the result is too late by at most
    /// uncertaintyNs(). Requires an upper bound.
    [[nodiscard]] std::int64_t toHostNs(std::int64_t deviceNs) const { return deviceNs + upper(); }
    /// kUnboundedNs if there is no lower bound.
    [[nodiscard]] std::uint32_t uncertaintyNs() const;

private:
    struct Bounds {
        std::int64_t upper = std::numeric_limits<std::int64_t>::max();
        std::int64_t lower = std::numeric_limits<std::int64_t>::min();
    };
    void advance(std::int64_t hostNs);
    [[nodiscard]] std::int64_t upper() const { return std::min(m_current.upper, m_previous.upper); }

    Bounds m_current;
    Bounds m_previous;
    std::int64_t m_sinceNs = std::numeric_limits<std::int64_t>::min();
};

class NcclRecords final {
public:
    explicit NcclRecords(Writer& writer) : m_writer(writer) {}
    void write(const TickClock& clock, const NcclOperationRecord& record, std::uint32_t thread);
    void write(const TickClock& clock, const ChannelTimeRecord& record);
    void write(const TickClock& clock, const ProxyStepRecord& record);
    void write(const TickClock& clock, const KernelPhaseRecord& record);
    void write(const NcclDetailRecord& record);
    void write(const CallConfigRecord& record);

private:
    /// When the host saw the GPU's times; 0: it did not.
    struct Seen {
        std::uint64_t startTicks;
        std::uint64_t endTicks;
    };
    /// Fills in times and place. Returns false, with an issue, if the GPU's timer gave none.
    template <class Record, class Row>
    bool place(const TickClock& clock, const Record& record, const Seen& seen, Row& row);
    Writer& m_writer;
    std::map<std::int32_t, DeviceTimer> m_timers; ///< by CUDA ordinal
};

} // namespace ringside::trace
