// SPDX-License-Identifier: Apache-2.0
// Device memory grows from step to step, as when graphs or losses are kept by mistake. The training ends when
// the device has no more memory.
#include "fault.h"
#include "gpu.h"

#include <memory>

namespace ringside::trainer::faults::fault_memory_growth {
namespace {

constexpr FaultOption kOptions[] = {{"mb", "8", "growth per step in MiB"}};

void apply(const FaultSettings& settings, const RankIdentity&, Hooks& hooks)
{
    const auto bytes = static_cast<std::size_t>(settings.positive("mb") * (1U << 20U));
    hooks.afterStep.emplace_back([kept = std::make_shared<std::vector<DeviceArray<char>>>(),
                                  bytes](std::uint64_t, cudaStream_t) { kept->emplace_back(bytes); });
}

} // namespace

extern const Fault entry;
const Fault entry{"memory_growth", "device memory grows in every step", kOptions, apply};

} // namespace ringside::trainer::faults::fault_memory_growth
