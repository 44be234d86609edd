// SPDX-License-Identifier: Apache-2.0
// Records NCCL calls that pass no wrapper, because NCCL is linked statically or its functions come from
// dlsym. NCCL's profiler plugin reports them, else NCCL's NVTX ranges. They become the same rows as
// wrapped calls. If the plugin reports the calls of a communicator (profiler/plugin.h), the ranges are
// not used for it.
#pragma once
#include "record/registry.h"
#include "record/session.h"

#include <cstdint>
#include <string_view>

namespace ringside::collector {

/// Returns the string id of the function that NCCL's short name stands for: that of ncclAllReduce for
/// "AllReduce".
[[nodiscard]] StringId apiOf(std::string_view function);

/// Registers a communicator under NCCL's own hash, which is the same on all its ranks (0: not known).
/// Returns null if there is no room.
[[nodiscard]] Communicator* makeForeignCommunicator(std::uint64_t ncclHash, std::int32_t size,
                                                    std::int32_t rank, std::int32_t device);

/// Writes a record without result, which the plugin and the ranges do not report.
void writeForeignCall(ThreadState& thread, const ForeignCall& call);

/// Writes a group, from the first ncclGroupStart to the return of the last ncclGroupEnd.
struct ForeignGroup {
    std::uint64_t id = 0;
    std::uint64_t calls = 0;
    std::uint64_t startTicks = 0;
    std::uint64_t endCallTicks = 0; ///< begin of that ncclGroupEnd
    std::uint64_t endTicks = 0;
};
void writeForeignGroup(ThreadState& thread, const ForeignGroup& group);

} // namespace ringside::collector
