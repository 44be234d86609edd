// SPDX-License-Identifier: Apache-2.0
// A map of used parameters is reduced in every step, as find_unused_parameters does. The walk over the graph
// is left out: it costs the host only.
#include "fault.h"
#include "gpu.h"

#include <memory>

namespace ringside::trainer {
namespace {

constexpr FaultOption kOptions[] = {{"parameters", "64", "tensors in the map"}};

void apply(const FaultSettings& settings, const RankIdentity&, Hooks& hooks)
{
    const std::size_t parameters = settings.count("parameters");
    auto map = std::make_shared<DeviceArray<int>>();
    hooks.beforeTraining.emplace_back(
        [map, parameters](cudaStream_t) { *map = DeviceArray<int>(parameters); });
    hooks.afterBackward.emplace_back([map](ncclComm_t communicator, cudaStream_t stream) {
        RS_CHECK(
            ncclAllReduce(map->data(), map->data(), map->size(), ncclInt, ncclSum, communicator, stream));
    });
}

} // namespace

} // namespace ringside::trainer

extern const ringside::trainer::Fault fault_unused_parameters;
const ringside::trainer::Fault fault_unused_parameters{"unused_parameters",
                                                       "a map of used parameters is reduced in every step",
                                                       ringside::trainer::kOptions, ringside::trainer::apply};
