// SPDX-License-Identifier: Apache-2.0
// Events of deep windows: the part of one channel in an operation on the GPU, and the messages of NCCL's
// proxy threads. They are reported on those threads, during and after the enqueueing of their operation.
#pragma once
#include "profiler/context.h"
#include "profiler/event_pool.h"
#include "record/session.h"

namespace ringside::collector::profiler {

/// `enqueuedNs` not 0: the channel is only timed.
[[nodiscard]] Place* beginChannel(Context& context, const Event& event, std::int64_t enqueuedNs = 0);
void endChannel(ThreadState& thread, const Place& place);
/// The first channel of an operation outside of deep windows, for NcclKernels. Needs no thread of the
/// recording: NCCL's threads get no ring for it. Null for the other channels.
[[nodiscard]] Place* beginTimedKernel(Context& context, const Event& event);
void endTimedKernel(const Place& place);
/// A part of a channel's time, as NCCL splits it. NCCL tells of it before the channel ends.
[[nodiscard]] Place* beginPhase(const Event& event);
void endPhase(ThreadState& thread, const Place& place);

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
