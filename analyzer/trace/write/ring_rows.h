// SPDX-License-Identifier: Apache-2.0
// Converts each record of a thread's ring to one row. Every field may have any value. The functions are
// inline because the drain runs them for every record.
#pragma once
#include "trace/vocabulary/datatype.h"

#include <ringside/trace/ring_decoder.h>

#include <cstdint>
#include <optional>

namespace ringside::trace {

/// What a record itself does not contain.
struct RecordedBy {
    const TickClock& clock; ///< ready
    std::uint32_t thread = 0;
};

/// Returns the size of `count` elements, or null if the data type is unknown.
inline std::optional<std::uint64_t> elementBytes(const CollectiveRecord& collective)
{
    const bool isBytes = collective.datatype == kUnknownDatatype;
    return isBytes ? 1 : elementBytes(collective.datatype);
}

inline std::optional<std::int64_t> resultOf(const CallRecord& call)
{
    return call.result != kUnknownResult ? std::optional<std::int64_t>(call.result) : std::nullopt;
}

inline ApiCallRow rowOf(const CallRecord& call, const RecordedBy& by)
{
    ApiCallRow row;
    row.startNs = by.clock.toMonotonicNs(call.startTicks);
    row.endNs = by.clock.toMonotonicNs(call.endTicks);
    row.api = call.api;
    row.thread = by.thread;
    row.stream = call.commit.stream;
    row.result = call.result;
    return row;
}

inline ApiCallRow rowOf(const MemoryRecord& memory, const RecordedBy& by)
{
    ApiCallRow row;
    row.startNs = by.clock.toMonotonicNs(memory.call.startTicks);
    row.endNs = by.clock.toMonotonicNs(memory.call.endTicks);
    row.api = memory.call.api;
    row.thread = by.thread;
    row.stream = memory.stream;
    row.copyKind = memory.copyKind;
    row.bytes = memory.bytes;
    row.result = memory.call.result;
    return row;
}

inline CollectiveCallRow rowOf(const CollectiveRecord& collective, const RecordedBy& by)
{
    const bool typed = collective.datatype != kUnknownDatatype;
    CollectiveCallRow row;
    row.id = static_cast<std::int64_t>(collective.callId);
    row.api = collective.call.api;
    row.communicator = collective.communicator;
    row.sequence = static_cast<std::int64_t>(collective.sequence);
    row.count = typed ? std::optional(collective.count) : std::nullopt;
    const auto bytesOfOne = elementBytes(collective);
    row.bytes = bytesOfOne ? std::optional(collective.count * *bytesOfOne) : std::nullopt;
    row.datatype = typed ? std::optional<std::int64_t>(collective.datatype) : std::nullopt;
    row.reduction = collective.reduction == kNoReduction ? std::nullopt
                                                         : std::optional<std::int64_t>(collective.reduction);
    row.peer = collective.peer < 0 ? std::nullopt : std::optional<std::int64_t>(collective.peer);
    row.stream = collective.stream;
    row.groupId = static_cast<std::int64_t>(collective.groupId);
    row.startNs = by.clock.toMonotonicNs(collective.call.startTicks);
    row.endNs = by.clock.toMonotonicNs(collective.call.endTicks);
    row.thread = by.thread;
    row.result = resultOf(collective.call);
    row.graph = collective.graph == 0 ? std::nullopt : std::optional<std::int64_t>(collective.graph);
    return row;
}

inline GraphLaunchRow rowOf(const GraphLaunchRecord& launch, const RecordedBy& by)
{
    GraphLaunchRow row;
    row.startNs = by.clock.toMonotonicNs(launch.call.startTicks);
    row.endNs = by.clock.toMonotonicNs(launch.call.endTicks);
    row.launch = launch.launchId;
    row.graph = launch.graph;
    row.communicator = launch.communicator;
    row.sequence = launch.sequence;
    row.calls = launch.calls;
    row.stream = launch.stream;
    row.thread = by.thread;
    row.result = launch.call.result;
    return row;
}

inline GroupRow rowOf(const GroupRecord& group, const RecordedBy& by)
{
    GroupRow row;
    row.id = static_cast<std::int64_t>(group.groupId);
    row.calls = static_cast<std::int64_t>(group.calls);
    row.startNs = by.clock.toMonotonicNs(group.call.startTicks);
    row.launchStartNs = by.clock.toMonotonicNs(group.endCallStartTicks);
    row.endNs = by.clock.toMonotonicNs(group.call.endTicks);
    row.thread = by.thread;
    row.result = resultOf(group.call);
    return row;
}

// Sums may overflow, so they are computed modulo 2^64; the reader drops implausible times.
inline EventTimeRow rowOf(const EventTimeRecord& record, const RecordedBy& by)
{
    const auto anchorNs = static_cast<std::uint64_t>(by.clock.toMonotonicNs(record.anchorTicks));
    const auto after = [anchorNs](std::int64_t ns) {
        return static_cast<std::int64_t>(anchorNs + static_cast<std::uint64_t>(ns));
    };
    EventTimeRow row;
    row.startNs = after(record.startNs);
    row.endNs = after(record.endNs);
    row.call = record.callId;
    row.device = static_cast<std::uint32_t>(record.device);
    row.stream = record.stream;
    row.uncertaintyNs = record.uncertaintyNs;
    return row;
}

inline RangeRow rowOf(const RangeRecord& range, const RecordedBy& by)
{
    RangeRow row;
    row.name = range.name;
    row.domain = range.domain;
    row.category = range.category;
    row.depth = range.depth;
    row.flavour = static_cast<std::int64_t>(range.flavour);
    row.startNs = by.clock.toMonotonicNs(range.startTicks);
    row.endNs = by.clock.toMonotonicNs(range.endTicks);
    row.thread = by.thread;
    return row;
}

inline StepRow rowOf(const StepRecord& step, const RecordedBy& by)
{
    return {step.number, by.clock.toMonotonicNs(step.startTicks), by.clock.toMonotonicNs(step.endTicks),
            by.thread};
}

inline SampleRow rowOf(const SampleRecord& sample, const RecordedBy& by)
{
    return {by.clock.toMonotonicNs(sample.ticks), sample.series, sample.value};
}

} // namespace ringside::trace
