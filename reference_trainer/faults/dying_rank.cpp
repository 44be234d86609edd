// SPDX-License-Identifier: Apache-2.0
// One rank is killed in the middle of the training, as by the out-of-memory killer.
#include "fault.h"

#include <csignal>

namespace ringside::trainer::faults::fault_dying_rank {
namespace {

constexpr FaultOption kOptions[] = {{"rank", "0", "the rank that is killed"},
                                    {"step", "20", "the last step that it queues"}};

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    const unsigned step = settings.count("step");
    if (!settings.concerns(identity))
        return;
    hooks.afterStep.emplace_back([step](std::uint64_t number, cudaStream_t) {
        if (number == step)
            std::raise(SIGKILL);
    });
}

} // namespace

extern const Fault entry;
const Fault entry{"dying_rank", "one rank is killed", kOptions, apply};

} // namespace ringside::trainer::faults::fault_dying_rank
