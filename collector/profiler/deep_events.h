// SPDX-License-Identifier: Apache-2.0
// The events of deep windows: one channel's part of an operation on the GPU, and the messages of NCCL's proxy
// threads. They come on these threads, while and after the operation that they belong to was enqueued.
#pragma once
#include "profiler/context.h"
#include "profiler/event_pool.h"
#include "record/session.h"

namespace ringside::collector::profiler {

[[nodiscard]] Place* beginChannel(Context& context, const Event& event);
void endChannel(ThreadState& thread, const Place& place);

/// `context` is of another process, and must not be looked at, where the operation is (PXN).
[[nodiscard]] Place* beginProxyOperation(Context* context, const Event& event);
[[nodiscard]] Place* beginProxyMessage(const Event& event);
void endProxyMessage(ThreadState& thread, const Place& place);

/// What a change of state says beside itself.
struct StateDetails {
    std::uint64_t bytes;       ///< kUnknownNumber: not told
    std::uint64_t deviceEndNs; ///< 0: not told
};
void noteState(Place& place, State state, const StateDetails& details);

} // namespace ringside::collector::profiler
