// SPDX-License-Identifier: Apache-2.0
// What NVTX's events do to the recording: a stack of push/pop ranges a thread, a table of start/end ranges,
// marks, the steps they say, and NCCL's own ranges, which may stand for calls. Ranges inside an intercepted
// call are not recorded again; ranges alone start no recording.
#pragma once
#include "nvtx/names.h"

namespace ringside::collector::nvtx {

struct Payloads {
    const PayloadData* data = nullptr;
    std::size_t count = 0;
};

/// The depth of the new range in its domain, as NVTX asks for.
int push(Name* domain, const EventAttributes* event, const Payloads& payloads = {});
int pop(Name* domain, const Payloads& payloads = {});
/// `theirs`: what a chained tool calls the range. Returns what the program is to call it; 0: it has no name.
std::uint64_t start(Name* domain, const EventAttributes* event,
                    const std::optional<std::uint64_t>& theirs = std::nullopt);
void end(std::uint64_t id);
void mark(Name* domain, const EventAttributes* event);
/// An event that is no more than a text.
EventAttributes plain(MessageType messageType, const void* message);

// The same for those who have no NVTX.
void markText(Name* domain, const char* text);
void pushText(Name* domain, const char* text);

/// Ranges that were not recorded, and why.
struct Refused {
    std::atomic<std::uint64_t> tooDeep{0}; ///< push/pop: more are open on the thread than it has room for
    std::atomic<std::uint64_t> tooMany{0}; ///< start/end: the table was full, or the chained tool gave no id
};
const Refused& refusedRanges();

} // namespace ringside::collector::nvtx
