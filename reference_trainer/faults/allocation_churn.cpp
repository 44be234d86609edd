// SPDX-License-Identifier: Apache-2.0
// Allocates and frees device memory in every step, as code that empties its allocator's cache does.
#include "fault.h"
#include "gpu.h"

namespace ringside::trainer::faults::fault_allocation_churn {
namespace {

constexpr FaultOption kOptions[] = {{"count", "8", "allocations per step"},
                                    {"mb", "4", "size of each in MiB"}};

void apply(const FaultSettings& settings, const RankIdentity&, Hooks& hooks)
{
    const unsigned count = settings.count("count");
    const auto bytes = static_cast<std::size_t>(settings.positive("mb") * (1U << 20U));
    hooks.afterForward.emplace_back([count, bytes](cudaStream_t) {
        for (unsigned i = 0; i < count; ++i)
            static_cast<void>(allocateDevice(bytes)); // freed at once
    });
}

} // namespace

extern const Fault entry;
const Fault entry{"allocation_churn", "device memory is allocated and freed in every step", kOptions, apply};

} // namespace ringside::trainer::faults::fault_allocation_churn
