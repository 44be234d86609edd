// SPDX-License-Identifier: Apache-2.0
// One rank makes another collective call than all others at one place, as a branch on the rank does.
#include "failure.h"
#include "fault.h"
#include "gpu.h"
#include "reduction.h"

namespace ringside::trainer::faults::fault_mismatch {
namespace {

constexpr FaultOption kOptions[] = {{"rank", "0", "the rank that differs"},
                                    {"reduction", "20", "number of the gradient all-reduce, from 0"},
                                    {"by", "function", "function: a broadcast; count: half the elements"}};
constexpr std::string_view kKinds[] = {"function", "count"};

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    const unsigned number = settings.count("reduction");
    const bool byCount = settings.oneOf("by", kKinds) == "count";
    if (!settings.concerns(identity))
        return;
    hooks.insteadOfReduction = [number, byCount](const Reduction& reduction) {
        if (reduction.number != number)
            return false;
        void* const data = reduction.gradients;
        if (byCount)
            RS_CHECK(ncclAllReduce(data, data, reduction.count / 2, reduction.type, ncclSum,
                                   reduction.communicator, reduction.stream));
        else
            RS_CHECK(ncclBroadcast(data, data, reduction.count, reduction.type, 0, reduction.communicator,
                                   reduction.stream));
        return true;
    };
}

} // namespace

extern const Fault entry;
const Fault entry{"mismatch", "one rank calls another collective than the others, once", kOptions, apply};

} // namespace ringside::trainer::faults::fault_mismatch
