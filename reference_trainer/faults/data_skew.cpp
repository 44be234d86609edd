// SPDX-License-Identifier: Apache-2.0
// Batches of different size: every rank computes longer or shorter in each step, as with texts that are not
// sorted by length.
#include "extra_work.h"
#include "fault.h"
#include "launch_environment.h"
#include "random.h"

namespace ringside::trainer {
namespace {

constexpr FaultOption kOptions[] = {{"ms", "30", "extra work of a rank and step: from 0 to this"},
                                    {"seed", "1", "of the lengths"}};

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    hooks.afterForward.emplace_back(
        [work = ExtraWork::measuredBeforeTraining(hooks), ms = settings.positive("ms"),
         draw = Random(settings.count("seed"), identity.rank)](cudaStream_t stream) mutable {
            work->run(stream, ms * static_cast<double>(draw.uniform()));
        });
}

} // namespace

} // namespace ringside::trainer

extern const ringside::trainer::Fault fault_data_skew;
const ringside::trainer::Fault fault_data_skew{"data_skew",
                                               "ranks compute for different lengths in each step",
                                               ringside::trainer::kOptions, ringside::trainer::apply};
