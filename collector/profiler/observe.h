// SPDX-License-Identifier: Apache-2.0
// What becomes of events: which are asked for, and the records they leave. Called between the beginning and
// the end of a callback of NCCL's, on whatever thread that comes.
#pragma once
#include "profiler/context.h"
#include "profiler/event_pool.h"
#include "record/level.h"
#include "record/session.h"
#include "trace/vocabulary/datatype.h"

#include <string_view>

namespace ringside::collector::profiler {

/// Of the process; usable before and after recording.
EventPool& pool();
Contexts& contexts();

/// What this version is to tell us at a level.
[[nodiscard]] std::uint64_t wantedEvents(unsigned version, Level level);

/// By NCCL's name of it, which is the enumeration's. Null: a type that this version does not know.
[[nodiscard]] const trace::DatatypeEntry* datatypeOf(const char* name);

/// Root or peer of a call or operation; -1 where it has none or NCCL does not tell.
[[nodiscard]] std::int32_t peerOf(const Event& event);

/// A null pointer is no text.
inline std::string_view textOf(const char* text)
{
    return text != nullptr ? std::string_view(text) : std::string_view();
}

// Operations (Coll, P2p, CeColl). The place is remembered until the event's end.
[[nodiscard]] Place* beginOperation(ThreadState& thread, Context& context, const Event& event);
void endOperation(ThreadState& thread, const Place& place);
void beginLaunch(ThreadState& thread, const Context& context, const Event& event);
void endLaunch(ThreadState& thread);

} // namespace ringside::collector::profiler
