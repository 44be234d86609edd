// SPDX-License-Identifier: Apache-2.0
// Another client of CUPTI in this process (torch.profiler above all), as its calls show it
// (intercept/cupti.cpp). CUPTI knows one subscriber, one pair of buffer callbacks and one set of kinds a
// process: two clients take each other's records. The other one always goes first: before its call goes on,
// we have let go. Its buffer callbacks and ours are reached through one pair, so that a buffer that CUPTI
// kept over the change comes back to whom it belongs.
#pragma once
#include "abi/cupti.h"

#include <cstddef>
#include <cstdint>

namespace ringside::collector::neighbour {

/// How a call of the other client is told to us, before and after it. One by which it begins something makes
/// us let go of CUPTI; one that ends something takes nothing from us.
enum class Call { Begins, Ends };
void enter(Call call);
void leave(Call call);

void noteSubscribed();
void noteUnsubscribed();
void noteKind(cupti::Kind kind, bool on);
/// cuptiFinalize: nothing of it is left.
void noteFinalized();
/// What to register in the place of its pair.
struct BufferCallbacks {
    cupti::BufferRequested requested;
    cupti::BufferCompleted completed;
};
BufferCallbacks takeCallbacks(const BufferCallbacks& theirs);

/// It measures, or made a call a moment ago: CUPTI is its own.
[[nodiscard]] bool isActive();
[[nodiscard]] bool isSubscribed();
[[nodiscard]] bool hasCallbacks();

/// Our side: CUPTI's buffers from now on are filled with our records, or with its. `nextRecord`: CUPTI's own.
void takeBuffers(cupti::NextRecord nextRecord);
void leaveBuffers();
/// The pair for both.
[[nodiscard]] BufferCallbacks sharedCallbacks();

} // namespace ringside::collector::neighbour
