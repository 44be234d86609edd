// SPDX-License-Identifier: Apache-2.0
// With --accumulate gradients are reduced after each part, as without no_sync(): all but the last time for
// nothing.
#include "fault.h"

namespace ringside::trainer {
namespace {

void apply(const FaultSettings&, const RankIdentity&, Hooks& hooks)
{
    hooks.reduceEveryPart = true;
}

} // namespace

} // namespace ringside::trainer

extern const ringside::trainer::Fault fault_sync_every_part;
const ringside::trainer::Fault fault_sync_every_part{
    "sync_every_part", "with --accumulate: gradients travel with every part", {}, ringside::trainer::apply};
