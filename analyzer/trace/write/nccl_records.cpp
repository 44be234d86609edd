// SPDX-License-Identifier: Apache-2.0
#include "trace/write/nccl_records.h"

#include <algorithm>
#include <optional>

namespace ringside::trace {
namespace {

std::optional<std::int64_t> known(std::uint64_t value, std::uint64_t unknown)
{
    return value == unknown ? std::nullopt : std::optional(static_cast<std::int64_t>(value));
}

/// Returns whether a time is far enough from the limits of its type that two can be subtracted. Rings may be
/// hostile.
std::int64_t hostNs(const TickClock& clock, std::uint64_t ticks)
{
    constexpr std::int64_t kFarthest = std::int64_t{1} << 60U;
    return std::clamp(clock.toMonotonicNs(ticks), -kFarthest, kFarthest);
}

std::optional<std::int64_t> timeOf(const TickClock& clock, std::uint64_t ticks)
{
    return ticks == 0 ? std::nullopt : std::optional(hostNs(clock, ticks));
}

/// Returns whether the globaltimer is valid: it is set, and within 73 years of its epoch.
bool isTimerReading(std::uint64_t ns)
{
    constexpr std::uint64_t kFarthest = std::uint64_t{1} << 61U;
    return ns > 0 && ns < kFarthest;
}

/// Returns the length of a wait that began at `from` (0 if it was not seen) and ended when the next one
/// began.
std::int64_t waitNs(const TickClock& clock, std::uint64_t from, std::uint64_t until)
{
    return from == 0 ? ProxyStepRow::kNotSeenNs
                     : std::max<std::int64_t>(0, hostNs(clock, until) - hostNs(clock, from));
}

std::uint64_t firstSeen(std::uint64_t ticks, std::uint64_t otherwise)
{
    return ticks != 0 ? ticks : otherwise;
}

} // namespace

void DeviceTimer::advance(std::int64_t hostNs)
{
    constexpr std::int64_t kPeriodNs = 1'000'000'000;
    if (m_sinceNs == std::numeric_limits<std::int64_t>::min()) {
        m_sinceNs = hostNs;
    } else if (hostNs > m_sinceNs && hostNs - m_sinceNs > kPeriodNs) {
        m_previous = m_current;
        m_current = {};
        m_sinceNs = hostNs;
    }
}

void DeviceTimer::happenedBefore(std::int64_t deviceNs, std::int64_t hostNs)
{
    advance(hostNs);
    m_current.upper = std::min(m_current.upper, hostNs - deviceNs);
}

void DeviceTimer::happenedAfter(std::int64_t deviceNs, std::int64_t hostNs)
{
    m_current.lower = std::max(m_current.lower, hostNs - deviceNs);
}

std::uint32_t DeviceTimer::uncertaintyNs() const
{
    const std::int64_t lower = std::max(m_current.lower, m_previous.lower);
    if (lower == std::numeric_limits<std::int64_t>::min()) {
        return kUnboundedNs;
    }
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(upper() - lower, 0, kUnboundedNs));
}

void NcclRecords::write(const TickClock& clock, const NcclOperationRecord& record, std::uint32_t thread)
{
    NcclOperationRow row;
    row.id = static_cast<std::int64_t>(record.operation);
    row.call = known(record.callId, 0);
    row.communicator = record.communicator;
    row.function = record.function;
    row.algorithm = record.algorithm;
    row.protocol = record.protocol;
    row.channels = known(record.channels, 0);
    row.ncclSequence = known(record.ncclSequence, kUnknownNumber);
    row.bytes = known(record.bytes, kUnknownNumber);
    row.peer = record.peer < 0 ? std::nullopt : std::optional<std::int64_t>(record.peer);
    row.startNs = clock.toMonotonicNs(record.startTicks);
    row.endNs = clock.toMonotonicNs(record.endTicks);
    row.launchStartNs = timeOf(clock, record.launchStartTicks);
    row.launchEndNs = timeOf(clock, record.launchEndTicks);
    row.thread = thread;
    m_writer.add(row);
}

void NcclRecords::write(const TickClock& clock, const ChannelTimeRecord& record)
{
    ChannelTimeRow row;
    if (place(clock, record, {record.startSeenTicks, record.endSeenTicks}, row)) {
        m_writer.add(row);
    }
}

void NcclRecords::write(const TickClock& clock, const KernelPhaseRecord& record)
{
    KernelPhaseRow row;
    row.phase = record.phase;
    if (place(clock, record, {0, record.seenTicks}, row)) {
        m_writer.add(row);
    }
}

template <class Record, class Row>
bool NcclRecords::place(const TickClock& clock, const Record& record, const Seen& seen, Row& row)
{
    if (!isTimerReading(record.deviceStartNs) || !isTimerReading(record.deviceEndNs)) {
        m_writer.add(IssueRow{Issue::ChannelTimeUnmeasured, 1,
                              "the GPU's timer gave no time for a channel of an NCCL operation"});
        return false;
    }
    const auto start = static_cast<std::int64_t>(record.deviceStartNs);
    const auto end = static_cast<std::int64_t>(record.deviceEndNs);
    DeviceTimer& timer = m_timers[record.device];
    if (const auto at = timeOf(clock, seen.startTicks)) {
        timer.happenedBefore(start, *at);
    }
    timer.happenedBefore(end, hostNs(clock, seen.endTicks));
    if (const auto launched = timeOf(clock, record.notBeforeTicks)) {
        timer.happenedAfter(start, *launched);
    }
    row.startNs = timer.toHostNs(start);
    row.endNs = timer.toHostNs(end);
    row.operation = record.operation;
    row.channel = record.channel;
    row.device = record.device < 0 ? kUnknownDevice : static_cast<std::uint32_t>(record.device);
    row.uncertaintyNs = timer.uncertaintyNs();
    return true;
}

void NcclRecords::write(const NcclDetailRecord& record)
{
    const bool copies = record.hasIntraBatchSync != kUnknownFlag;
    const auto ofCopies = [&](std::uint64_t value) {
        return copies ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
    };
    NcclDetailRow row;
    row.operation = static_cast<std::int64_t>(record.operation);
    row.userTag = known(record.userTag, 0);
    row.kernelVariant = record.kernelVariant;
    row.isSymmetric = known(record.isSymmetric, kUnknownFlag);
    row.batches = ofCopies(record.batches);
    row.copies = ofCopies(record.copies);
    row.copiedBytes = ofCopies(record.copiedBytes);
    row.syncs = ofCopies(record.syncs);
    row.hasIntraBatchSync = known(record.hasIntraBatchSync, kUnknownFlag);
    m_writer.add(row);
}

void NcclRecords::write(const CallConfigRecord& record)
{
    const auto set = [](std::int32_t value) {
        return value == kUnsetOption ? std::nullopt : std::optional<std::int64_t>(value);
    };
    CallConfigRow row;
    row.call = static_cast<std::int64_t>(record.callId);
    row.userTag = known(record.userTag, 0);
    row.algorithms = record.algorithms;
    row.isForced = record.algorithms == 0 ? std::nullopt : std::optional<std::int64_t>(record.isForced);
    row.minCtas = set(record.minCtas);
    row.maxCtas = set(record.maxCtas);
    row.nvlsCtas = set(record.nvlsCtas);
    row.clusterSize = set(record.clusterSize);
    row.ctaPolicy = set(record.ctaPolicy);
    row.hasLaunchEvent = record.hasLaunchEvent;
    m_writer.add(row);
}

void NcclRecords::write(const TickClock& clock, const ProxyStepRecord& record)
{
    ProxyStepRow row;
    row.startNs = clock.toMonotonicNs(record.startTicks);
    row.endNs = clock.toMonotonicNs(record.endTicks);
    row.operation = record.operation;
    row.channel = record.channel;
    row.peer = static_cast<std::uint32_t>(record.peer);
    row.step = static_cast<std::uint32_t>(record.step);
    row.isSend = record.isSend;
    row.bytes = record.bytes;
    const std::uint64_t end = record.endTicks;
    if (record.isSend != 0) { // the GPU provides data, the receiver provides room, the network transfers
        const std::uint64_t given = firstSeen(record.peerWaitTicks, firstSeen(record.networkWaitTicks, end));
        row.gpuWaitNs = waitNs(clock, record.gpuWaitTicks, given);
        row.peerWaitNs = waitNs(clock, record.peerWaitTicks, firstSeen(record.networkWaitTicks, end));
        row.networkWaitNs = waitNs(clock, record.networkWaitTicks, end);
    } else { // the network delivers data, the data becomes visible, the GPU consumes it
        const std::uint64_t brought = firstSeen(record.flushWaitTicks, firstSeen(record.gpuWaitTicks, end));
        row.networkWaitNs = waitNs(clock, record.networkWaitTicks, brought);
        row.flushWaitNs = waitNs(clock, record.flushWaitTicks, firstSeen(record.gpuWaitTicks, end));
        row.gpuWaitNs = waitNs(clock, record.gpuWaitTicks, end);
    }
    m_writer.add(row);
}

} // namespace ringside::trace
