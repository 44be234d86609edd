// SPDX-License-Identifier: Apache-2.0
// In every step another rank computes more than the others: no rank is slow on average, but all wait in each
// step.
#include "extra_work.h"
#include "fault.h"
#include "launch_environment.h"
#include "random.h"

namespace ringside::trainer::faults::fault_moving_straggler {
namespace {

constexpr FaultOption kOptions[] = {{"ms", "15", "lateness in every step"},
                                    {"seed", "1", "seed of the order"}};

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    // Every rank draws the same order independently.
    hooks.afterForward.emplace_back([work = ExtraWork::measuredBeforeTraining(hooks),
                                     ms = settings.positive("ms"), draw = Random(settings.count("seed")),
                                     identity](cudaStream_t stream) mutable {
        if (draw.below(identity.worldSize) == identity.rank)
            work->run(stream, ms);
    });
}

} // namespace

extern const Fault entry;
const Fault entry{"moving_straggler", "in every step another rank is late", kOptions, apply};

} // namespace ringside::trainer::faults::fault_moving_straggler
