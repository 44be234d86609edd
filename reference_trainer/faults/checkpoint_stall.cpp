// SPDX-License-Identifier: Apache-2.0
// Rank 0 stops regularly to write a checkpoint; the others wait in their next all-reduce.
#include "failure.h"
#include "fault.h"
#include "gpu.h"
#include "launch_environment.h"

#include <chrono>
#include <thread>

namespace ringside::trainer::faults::fault_checkpoint_stall {
namespace {

constexpr FaultOption kOptions[] = {{"every", "10", "number of steps between two stalls"},
                                    {"ms", "100", "length of a stall"}};

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    const unsigned every = settings.count("every");
    if (every == 0)
        throw Failure("--fault checkpoint_stall: every=0 means never; give 1 or more");
    const std::chrono::duration<double, std::milli> length(settings.positive("ms"));
    if (identity.rank != 0)
        return;
    hooks.afterStep.emplace_back([every, length](std::uint64_t step, cudaStream_t stream) {
        if (step % every != 0)
            return;
        RS_CHECK(cudaStreamSynchronize(stream));
        std::this_thread::sleep_for(length);
    });
}

} // namespace

extern const Fault entry;
const Fault entry{"checkpoint_stall", "rank 0 stops to write a checkpoint", kOptions, apply};

} // namespace ringside::trainer::faults::fault_checkpoint_stall
