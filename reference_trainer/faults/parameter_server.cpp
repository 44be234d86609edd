// SPDX-License-Identifier: Apache-2.0
// One rank collects the gradients and sends them back to all, as DataParallel and parameter servers do: its
// link carries all traffic.
#include "fault.h"
#include "gpu.h"
#include "reduction.h"

namespace ringside::trainer::faults::fault_parameter_server {
namespace {

void apply(const FaultSettings&, const RankIdentity&, Hooks& hooks)
{
    hooks.insteadOfReduction = [](const Reduction& each) {
        RS_CHECK(ncclReduce(each.gradients, each.gradients, each.count, each.type, ncclSum, 0,
                            each.communicator, each.stream));
        RS_CHECK(ncclBroadcast(each.gradients, each.gradients, each.count, each.type, 0, each.communicator,
                               each.stream));
        return true;
    };
}

} // namespace

extern const Fault entry;
const Fault entry{"parameter_server", "rank 0 collects the gradients and sends them back", {}, apply};

} // namespace ringside::trainer::faults::fault_parameter_server
