// SPDX-License-Identifier: Apache-2.0
// Communication starts when backward is over, as in a training loop with its own reductions.
#include "fault.h"

namespace ringside::trainer::faults::fault_no_overlap {
namespace {

void apply(const FaultSettings&, const RankIdentity&, Hooks& hooks)
{
    hooks.overlap = false;
}

} // namespace

extern const Fault entry;
const Fault entry{"no_overlap", "all-reduces wait for the end of backward", {}, apply};

} // namespace ringside::trainer::faults::fault_no_overlap
