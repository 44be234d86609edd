// SPDX-License-Identifier: Apache-2.0
// In every step another rank computes more than the others: no rank is slow, and all wait in each step.
#include "extra_work.h"
#include "fault.h"
#include "launch_environment.h"
#include "random.h"

namespace ringside::trainer::faults::fault_moving_straggler {
namespace {

constexpr FaultOption kOptions[] = {{"ms", "15", "how late, in every step"}, {"seed", "1", "of the order"}};

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    // Every rank draws the same order by itself.
    hooks.afterForward.emplace_back([work = ExtraWork::measuredBeforeTraining(hooks),
                                     ms = settings.positive("ms"), draw = Random(settings.count("seed")),
                                     identity](cudaStream_t stream) mutable {
        if (draw.below(identity.worldSize) == identity.rank)
            work->run(stream, ms);
    });
}

} // namespace

extern const Fault entry;
const Fault entry{"moving_straggler", "in every step another rank comes late", kOptions, apply};

} // namespace ringside::trainer::faults::fault_moving_straggler
