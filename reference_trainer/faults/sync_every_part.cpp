// SPDX-License-Identifier: Apache-2.0
// With --accumulate, gradients are reduced after each part, as without no_sync(): only the last reduction is
// needed.
#include "fault.h"

namespace ringside::trainer::faults::fault_sync_every_part {
namespace {

void apply(const FaultSettings&, const RankIdentity&, Hooks& hooks)
{
    hooks.reduceEveryPart = true;
}

} // namespace

extern const Fault entry;
const Fault entry{"sync_every_part", "with --accumulate: gradients are reduced with every part", {}, apply};

} // namespace ringside::trainer::faults::fault_sync_every_part
