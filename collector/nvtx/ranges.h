// SPDX-License-Identifier: Apache-2.0
// Records NVTX events: a stack of push/pop ranges a thread, a table of start/end ranges, marks, steps,
// and NCCL's own ranges, which may stand for calls. Ranges inside an intercepted call are not recorded
// again. Ranges alone do not start the recording.
#pragma once
#include "nvtx/names.h"

namespace ringside::collector::nvtx {

struct Payloads {
    const PayloadData* data = nullptr;
    std::size_t count = 0;
};

/// Returns the depth of the new range in its domain, as NVTX requires.
int push(Name* domain, const EventAttributes* event, const Payloads& payloads = {});
int pop(Name* domain, const Payloads& payloads = {});
/// `theirs`: the range's id in a chained tool. Returns the id for the program. 0: it has none.
std::uint64_t start(Name* domain, const EventAttributes* event,
                    const std::optional<std::uint64_t>& theirs = std::nullopt);
void end(std::uint64_t id);
void mark(Name* domain, const EventAttributes* event);
/// An event with only a text.
EventAttributes plain(MessageType messageType, const void* message);

// The same for programs without NVTX.
void markText(Name* domain, const char* text);
void pushText(Name* domain, const char* text);

/// Ranges that were not recorded, by reason.
struct Refused {
    std::atomic<std::uint64_t> tooDeep{0}; ///< push/pop: more are open on the thread than it has room for
    std::atomic<std::uint64_t> tooMany{0}; ///< start/end: the table was full, or the chained tool gave no id
};
const Refused& refusedRanges();

} // namespace ringside::collector::nvtx
