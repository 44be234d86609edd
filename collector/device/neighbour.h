// SPDX-License-Identifier: Apache-2.0
// The neighbour: another client of CUPTI in this process, usually torch.profiler, as its calls show it
// (intercept/cupti.cpp). CUPTI has one subscriber, one pair of buffer callbacks and one set of enabled
// kinds a process, so two clients would take each other's records. The neighbour always has priority:
// before its call is passed on, the collector has released CUPTI. One registered pair of callbacks
// serves both clients, so that a buffer that CUPTI kept over the change returns to its owner.
#pragma once
#include "abi/cupti.h"

#include <cstddef>
#include <cstdint>

namespace ringside::collector::neighbour {

/// Called before and after each call of the other client. For a call that starts something the collector
/// then releases CUPTI (CuptiSession::handOver); for a call that ends something it does not.
enum class Call { Begins, Ends };
void enter(Call call);
void leave(Call call);

void noteSubscribed();
void noteUnsubscribed();
void noteKind(cupti::Kind kind, bool on);
/// It uses the _v2 functions (CUDA 13.2): CUPTI refuses the older ones, which the collector uses, until the
/// last subscriber has gone.
void noteOwnRecords();
/// cuptiFinalize: the other client's state is gone.
void noteFinalized();
/// The callbacks to register instead of the other client's pair.
struct BufferCallbacks {
    cupti::BufferRequested requested;
    cupti::BufferCompleted completed;
};
BufferCallbacks takeCallbacks(const BufferCallbacks& theirs);

/// Whether the other client measures, or made a call a moment ago. Then CUPTI is left to it.
[[nodiscard]] bool isActive();
[[nodiscard]] bool isSubscribed();
[[nodiscard]] bool hasCallbacks();

/// Sets whether CUPTI fills buffers with the collector's records from now on, or with the other
/// client's. `nextRecord`: CUPTI's function.
void takeBuffers(cupti::NextRecord nextRecord);
void leaveBuffers();
/// The pair of callbacks for both clients.
[[nodiscard]] BufferCallbacks sharedCallbacks();

} // namespace ringside::collector::neighbour
