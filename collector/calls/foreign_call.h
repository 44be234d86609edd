// SPDX-License-Identifier: Apache-2.0
// Calls of an NCCL that no wrapper stands in front of: it is linked statically, or was opened by dlopen and
// called by dlsym. NCCL's profiler plugin sees them, else its NVTX ranges tell of them; from here they become
// the same rows as wrapped ones. Where the plugin shows a communicator's calls (profiler/plugin.h) it alone
// makes them.
#pragma once
#include "record/registry.h"
#include "record/session.h"

#include <cstdint>
#include <string_view>

namespace ringside::collector {

/// The name of the function behind NCCL's own word: of ncclAllReduce for "AllReduce".
[[nodiscard]] StringId apiOf(std::string_view function);

/// A communicator by NCCL's own hash (0: not known), which all its ranks have in common. Null when there is
/// no room for another one.
[[nodiscard]] Communicator* makeForeignCommunicator(std::uint64_t ncclHash, std::int32_t size,
                                                    std::int32_t rank, std::int32_t device);

/// The result is not seen there, and stays unknown.
void writeForeignCall(ThreadState& thread, const ForeignCall& call);

/// From the first ncclGroupStart to the return of the last ncclGroupEnd.
struct ForeignGroup {
    std::uint64_t id = 0;
    std::uint64_t calls = 0;
    std::uint64_t startTicks = 0;
    std::uint64_t endCallTicks = 0; ///< begin of that ncclGroupEnd
    std::uint64_t endTicks = 0;
};
void writeForeignGroup(ThreadState& thread, const ForeignGroup& group);

} // namespace ringside::collector
