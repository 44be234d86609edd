// SPDX-License-Identifier: Apache-2.0
// What those who watch are told of a call that moves data: its line in the log, its NVTX payload, its
// profiler events. Nothing here changes what the call does.
#pragma once
#include "nvtx_payloads.h"
#include "operation.h"
#include "profiler/launch_events.h"

#include <vector>

namespace ringside::nccl {

/// The hash of the communicator behind a handle; 0 for none, and while it is coming about.
[[nodiscard]] std::uint64_t hashOf(ncclComm_t handle) noexcept;
/// The size of `count` values of a type, as NCCL counts it: for unknown types that of -1 bytes each.
[[nodiscard]] std::size_t bytesOf(std::size_t count, ncclDataType_t type) noexcept;
/// For ranges around a communicator's end or beginning.
[[nodiscard]] RankPayload rankPayload(ncclComm_t handle) noexcept;

/// Writes the call's line: a checked operation, before it is taken apart.
void logCall(const Operation& operation);
/// Begins and ends the profiler's event of the call, and gives the operation its ticket. `depth`: of groups,
/// with the call's own.
void enterProfiler(Operation& operation, int depth);
/// The profiler's view of a launch; null where there is nothing to tell.
[[nodiscard]] std::shared_ptr<profiler::LaunchEvents>
profileLaunch(const std::vector<Operation>& operations, cudaStream_t stream, profiler::Launching launching);

} // namespace ringside::nccl
