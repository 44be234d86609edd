// SPDX-License-Identifier: Apache-2.0
// ncclCommSplit: the ranks tell each other their colours, each colour's first rank opens a rendezvous, and
// each colour meets there.
#pragma once
#include "communicator.h"

#include <memory>
#include <string>

namespace ringside::nccl {

/// What a rank says in a split, and the parent's slots for saying it.
struct SplitRequest {
    int color = 0; ///< NCCL_SPLIT_NOCOLOR: joins no communicator
    int key = 0;
    int count = 0; ///< the parent's how-manieth split
    const void* parentHandle = nullptr;
    const void* childHandle = nullptr;
    std::string name = {};
    std::uint64_t placeSlot = 0;
    std::uint64_t idSlot = 0;
};

/// Takes the slots: in the order of the program's calls.
[[nodiscard]] SplitRequest requestSplit(Communicator& parent, int color, int key);
/// Blocks until all ranks of the parent are here; null for a rank without colour.
[[nodiscard]] std::shared_ptr<Communicator> split(Communicator& parent, const SplitRequest& request);

} // namespace ringside::nccl
