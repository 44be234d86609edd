// SPDX-License-Identifier: Apache-2.0
// Writes the most frequent records. Runs on the program's threads: few stores, no lock, no allocation,
// no system call.
#pragma once
#include "api/functions.h"
#include "record/ring.h"

#include <cstddef>
#include <cstdint>

namespace ringside::collector {

struct CallTimes {
    std::uint64_t start;
    std::uint64_t end;
    std::int32_t result;
    bool wanted; ///< recording was not paused when it began
};

// Times are passed by value, so that they stay in registers.
inline void fillCall(trace::CallRecord& record, Api api, CallTimes times)
{
    record.startTicks = times.start;
    record.endTicks = times.end;
    record.api = stringIdOf(api);
    record.result = times.result;
}

inline void writeMemory(Ring& ring, Api api, CallTimes times, std::size_t bytes, std::uint32_t copyKind,
                        std::uint32_t stream)
{
    if (auto* record = ring.reserve<trace::MemoryRecord>(); record != nullptr) {
        fillCall(record->call, api, times);
        record->bytes = bytes;
        record->stream = stream;
        record->copyKind = copyKind;
        ring.commit(record, trace::RecordKind::Memory);
    }
}

/// For a stream whose id does not fit into a call's record. It takes the times one by one: as a whole they
/// would be passed in memory, and every call would put them together there and wait until they are stored.
[[gnu::cold, gnu::noinline]] inline void writeLongCall(Ring& ring, Api api, std::uint64_t start,
                                                       std::uint64_t end, std::int32_t result,
                                                       std::uint32_t stream)
{
    writeMemory(ring, api, {start, end, result, true}, 0, trace::kNoCopyKind, stream);
}

/// `stream`: the stream's id. 0: none, or the default stream.
inline void writeCall(Ring& ring, Api api, CallTimes times, std::uint32_t stream = 0)
{
    if (stream > trace::kLastStreamOfCall) [[unlikely]] {
        writeLongCall(ring, api, times.start, times.end, times.result, stream);
    } else if (auto* record = ring.reserve<trace::CallRecord>(); record != nullptr) {
        fillCall(*record, api, times);
        ring.commit(record, trace::RecordKind::Call, static_cast<std::uint16_t>(stream));
    }
}

} // namespace ringside::collector
