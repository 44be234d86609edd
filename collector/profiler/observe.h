// SPDX-License-Identifier: Apache-2.0
// The collector's part of an event: which events are requested, and the records that are written. Called
// between the begin and the end of a callback of NCCL, on any thread.
#pragma once
#include "profiler/context.h"
#include "profiler/event_pool.h"
#include "record/level.h"
#include "record/session.h"
#include "trace/vocabulary/datatype.h"

#include <string_view>

namespace ringside::collector::profiler {

/// One object per process; usable before and after recording.
EventPool& pool();
Contexts& contexts();

/// Returns the events that this version shall report at a level.
[[nodiscard]] std::uint64_t wantedEvents(unsigned version, Level level);

/// Version 3 does not report the GPU's times; 0 is none.
[[nodiscard]] constexpr bool canTimeKernels(unsigned version)
{
    return version >= 4;
}

/// Parses NCCL's name of a data type, which is that of the enumeration. Null if this version does not know
/// it.
[[nodiscard]] const trace::DatatypeEntry* datatypeOf(const char* name);

/// Root or peer of a call or operation; -1 if there is none, or NCCL does not report it.
[[nodiscard]] std::int32_t peerOf(const Event& event);

/// A null pointer becomes an empty text.
inline std::string_view textOf(const char* text)
{
    return text != nullptr ? std::string_view(text) : std::string_view();
}

// Operations (Coll, P2p, CeColl). The slot is kept until the event ends.
[[nodiscard]] Place* beginOperation(ThreadState& thread, Context& context, const Event& event);
/// A synchronisation or a batch of copies of a collective that copy engines do.
void addCopies(Handle collective, const Event& event);
void endOperation(ThreadState& thread, const Place& place);
void beginLaunch(ThreadState& thread, const Context& context, const Event& event);
void endLaunch(ThreadState& thread);

} // namespace ringside::collector::profiler
