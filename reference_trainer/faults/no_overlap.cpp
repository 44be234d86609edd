// SPDX-License-Identifier: Apache-2.0
// Communication starts when backward is over, as in a training loop that reduces gradients by itself.
#include "fault.h"

namespace ringside::trainer {
namespace {

void apply(const FaultSettings&, const RankIdentity&, Hooks& hooks)
{
    hooks.overlap = false;
}

} // namespace

} // namespace ringside::trainer

extern const ringside::trainer::Fault fault_no_overlap;
const ringside::trainer::Fault fault_no_overlap{
    "no_overlap", "all-reduces wait for the end of backward", {}, ringside::trainer::apply};
