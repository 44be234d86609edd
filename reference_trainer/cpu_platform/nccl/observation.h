// SPDX-License-Identifier: Apache-2.0
// Reports a call that moves data to observers: its line in the log, its NVTX payload and its profiler events.
// It does not change the effect of the call.
#pragma once
#include "nvtx_payloads.h"
#include "operation.h"
#include "profiler/launch_events.h"

#include <vector>

namespace ringside::nccl {

/// Returns the hash of the communicator of a handle; 0 for none, and while it is being created.
[[nodiscard]] std::uint64_t hashOf(ncclComm_t handle) noexcept;
/// Returns the size of `count` values of a type, as NCCL computes it: an unknown type has -1 bytes.
[[nodiscard]] std::size_t bytesOf(std::size_t count, ncclDataType_t type) noexcept;
/// Payload of ranges around a communicator's creation or end.
[[nodiscard]] RankPayload rankPayload(ncclComm_t handle) noexcept;

/// Writes the line of the call: a checked operation, before it is split into parts.
void logCall(const Operation& operation);
/// Begins and ends the profiler's event of the call, and sets the operation's ticket. `depth`: number of
/// groups, including the call's own.
void enterProfiler(Operation& operation, int depth);
/// Returns the profiler events of a launch; null if there are none.
[[nodiscard]] std::shared_ptr<profiler::LaunchEvents>
profileLaunch(const std::vector<Operation>& operations, cudaStream_t stream, profiler::Launching launching);

} // namespace ringside::nccl
