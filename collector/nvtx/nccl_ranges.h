// SPDX-License-Identifier: Apache-2.0
// NCCL's own ranges: domain "NCCL", one around each of its functions, with the communicator and the message
// size as payload. Where no wrapper sees the function, and NCCL does not show it to our profiler plugin
// either, they say what was called (nccl_calls.h).
#pragma once
#include "record/session.h"

#include <string_view>

namespace ringside::collector::nvtx {

class Values;

/// What a range of domain "NCCL" is about.
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

/// A function begins on its caller's thread. True: endNccl() must be called when it ends. False: it is none
/// of ours, since it lies inside another one or the plugin tells of it.
bool beginNccl(ThreadState& thread, NcclFunction function, StringId name, const Values& values);
/// True when the range is worth a row of its own.
bool endNccl(ThreadState& thread, NcclFunction function, const Values& values);

} // namespace ringside::collector::nvtx
