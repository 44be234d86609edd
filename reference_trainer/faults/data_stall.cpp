// SPDX-License-Identifier: Apache-2.0
// Data arrive late on every rank: no prefetching, and storage that stalls regularly.
#include "failure.h"
#include "fault.h"

#include <chrono>
#include <thread>

namespace ringside::trainer::faults::fault_data_stall {
namespace {

constexpr FaultOption kOptions[] = {{"every", "4", "number of steps between two stalls"},
                                    {"ms", "60", "length of a stall"}};

void apply(const FaultSettings& settings, const RankIdentity&, Hooks& hooks)
{
    const unsigned every = settings.count("every");
    if (every == 0)
        throw Failure("--fault data_stall: every=0 means never; give 1 or more");
    // With prefetching, the steps would hide the stalls, and there would be no fault.
    hooks.prefetch = 1;
    hooks.beforeLoad.emplace_back([every, length = std::chrono::duration<double, std::milli>(
                                              settings.positive("ms"))](std::uint64_t step) {
        if (step % every == 0)
            std::this_thread::sleep_for(length);
    });
}

} // namespace

extern const Fault entry;
const Fault entry{"data_stall", "the loader does not prefetch and stalls regularly", kOptions, apply};

} // namespace ringside::trainer::faults::fault_data_stall
