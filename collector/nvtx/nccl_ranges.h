// SPDX-License-Identifier: Apache-2.0
// NCCL's own NVTX ranges: domain "NCCL", one around each function, with communicator and message size as
// payload. If a function passes no wrapper and NCCL does not report it to the profiler plugin either,
// its range is recorded as a call (nccl_calls.h).
#pragma once
#include "record/session.h"

#include <string_view>

namespace ringside::collector::nvtx {

class Values;

/// The kind of function that a range of domain "NCCL" stands for.
enum class NcclFunction : std::uint8_t {
    None,
    Data, ///< one data call
    GroupStart,
    GroupEnd,
    NewRank,  ///< makes a communicator: its payload comes with the end
    AllRanks, ///< the same, for all ranks at once
    Split,
    Destroy, ///< ends one
    Other
};
[[nodiscard]] NcclFunction ncclFunctionOf(std::string_view name);

/// Call it when a function begins, on its caller's thread. True: endNccl() must be called at its end.
/// False: it is not recorded here, because it is inside another function or the plugin reports it.
bool beginNccl(ThreadState& thread, NcclFunction function, StringId name, const Values& values);
/// Whether the range gets its own row.
bool endNccl(ThreadState& thread, NcclFunction function, const Values& values);

} // namespace ringside::collector::nvtx
