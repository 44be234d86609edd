// SPDX-License-Identifier: Apache-2.0
// ncclCommSplit: the ranks exchange their colours, and the first rank of each colour opens a rendezvous for
// it.
#pragma once
#include "communicator.h"

#include <memory>
#include <string>

namespace ringside::nccl {

/// A rank's values in a split, and the parent's slots for exchanging them.
struct SplitRequest {
    int color = 0; ///< NCCL_SPLIT_NOCOLOR: joins no communicator
    int key = 0;
    int count = 0; ///< number of the parent's split
    const void* parentHandle = nullptr;
    const void* childHandle = nullptr;
    std::string name = {};
    std::uint64_t placeSlot = 0;
    std::uint64_t idSlot = 0;
};

/// Reserves the slots, in the order of the program's calls.
[[nodiscard]] SplitRequest requestSplit(Communicator& parent, int color, int key);
/// Blocks until all ranks of the parent have arrived; returns null for a rank without colour.
[[nodiscard]] std::shared_ptr<Communicator> split(Communicator& parent, const SplitRequest& request);

} // namespace ringside::nccl
