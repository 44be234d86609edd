// SPDX-License-Identifier: Apache-2.0
// Where a process stands, from its stacks at several times.
#pragma once
#include <ringside/trace/rows.h>

#include <sys/types.h>

#include <string>
#include <vector>

namespace ringside::attach {

struct Standing {
    /// The innermost line of the main thread: of Python, "wait_for_batch (data.py:42)", or the innermost
    /// function outside of the C library, "cudaStreamSynchronize (libcudart.so.12)". Empty if not known.
    std::string place;
    std::string ncclCall; ///< function of NCCL that any of its threads is in; empty: none
    bool stood = false;   ///< at least two samples show a place, and it is the same one in all that do
    bool moved = false;   ///< samples show different places
    std::vector<std::string> stack; ///< of the main thread in the latest sample, innermost first
    std::vector<std::string> notes; ///< what could not be read, and why
};

/// `samples`: the rows of each sample, the oldest first. `mainThread`: id of the main thread as the process
/// itself sees it, which stack rows use.
[[nodiscard]] Standing standingOf(const std::vector<std::vector<trace::StackRow>>& samples,
                                  std::int64_t mainThread);

} // namespace ringside::attach
