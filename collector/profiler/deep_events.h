// SPDX-License-Identifier: Apache-2.0
// Events of deep windows: the part of one channel in an operation on the GPU, and the messages of NCCL's
// proxy threads. They are reported on those threads, during and after the enqueueing of their operation.
#pragma once
#include "profiler/context.h"
#include "profiler/event_pool.h"
#include "record/session.h"

namespace ringside::collector::profiler {

[[nodiscard]] Place* beginChannel(Context& context, const Event& event);
void endChannel(ThreadState& thread, const Place& place);

/// `context` belongs to another process and must not be read if the operation does (PXN).
[[nodiscard]] Place* beginProxyOperation(Context* context, const Event& event);
[[nodiscard]] Place* beginProxyMessage(const Event& event);
void endProxyMessage(ThreadState& thread, const Place& place);

/// Additional values of a change of state.
struct StateDetails {
    std::uint64_t bytes;       ///< kUnknownNumber if not reported
    std::uint64_t deviceEndNs; ///< 0 if not reported
};
void noteState(Place& place, State state, const StateDetails& details);

} // namespace ringside::collector::profiler
