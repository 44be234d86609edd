// SPDX-License-Identifier: Apache-2.0
// Batches are copied from ordinary memory: the call waits for its copy, as without pin_memory.
#include "fault.h"

namespace ringside::trainer {
namespace {

void apply(const FaultSettings&, const RankIdentity&, Hooks& hooks)
{
    hooks.pinned = false;
}

} // namespace

} // namespace ringside::trainer

extern const ringside::trainer::Fault fault_pageable_copies;
const ringside::trainer::Fault fault_pageable_copies{
    "pageable_copies", "batches lie in memory that is not pinned", {}, ringside::trainer::apply};
