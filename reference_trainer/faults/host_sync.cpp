// SPDX-License-Identifier: Apache-2.0
// The host waits for the GPU after every layer, as code with many .item() and print(loss) calls does.
#include "fault.h"
#include "gpu.h"

namespace ringside::trainer::faults::fault_host_sync {
namespace {

void apply(const FaultSettings&, const RankIdentity&, Hooks& hooks)
{
    hooks.afterLayer.emplace_back([](cudaStream_t) { RS_CHECK(cudaDeviceSynchronize()); });
}

} // namespace

extern const Fault entry;
const Fault entry{"host_sync", "the host synchronises with the GPU after every layer", {}, apply};

} // namespace ringside::trainer::faults::fault_host_sync
