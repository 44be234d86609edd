// SPDX-License-Identifier: Apache-2.0
// Finds ranks that call different collectives at the same position of a communicator's order. NCCL does not
// check this: such a run hangs, or reduces garbage. The cost cannot be estimated, so the finding is listed
// before those that cost time.
#include "rules/shared/stuck.h"

namespace ringside::rules::rule_collective_mismatch {
namespace {

std::int64_t mismatchesOf(const Context& context, std::uint64_t communicator)
{
    return std::count_if(context.run.operations.begin(), context.run.operations.end(),
                         [communicator](const model::Operation& each) {
                             return each.communicator == communicator && each.mismatched;
                         });
}

Finding describe(const Context& context, const hang::StuckCollective& stuck)
{
    Finding finding;
    finding.severity = Severity::Problem;
    finding.limit = Limit::Hang;
    finding.broken = true;
    finding.ranks = stuck.different;
    const auto other =
        std::find_if(stuck.arrived.begin(), stuck.arrived.end(),
                     [&](const hang::Arrived& each) { return each.rank == stuck.different.front(); });
    finding.title = fmt::format("Ranks disagree on {}: {} calls {}, the others {} (they differ in {})",
                                nameOf(stuck), hang::rankList({other->rank}), callText(other->call),
                                callText(stuck.call()), hang::differenceOf(stuck.call(), other->call));
    const std::int64_t places = std::max<std::int64_t>(1, mismatchesOf(context, stuck.communicator));
    finding.figures = {{"differing_ranks", Unit::Count, static_cast<double>(stuck.different.size()), 0},
                       {"differing_collectives", Unit::Count, static_cast<double>(places), 0}};
    finding.evidence = {evidence(*other), evidence(stuck.arrived[stuck.common])};
    finding.advice =
        fmt::format("Look for a branch before this call that depends on the rank (an `if rank == 0`, a "
                    "different number of batches, a parameter without gradient): every rank must make the "
                    "same calls in the same order. TORCH_DISTRIBUTED_DEBUG=DETAIL checks each call at the "
                    "price of speed; `ringside hang {}` shows stacks where they were taken.",
                    context.run.trace.path.filename().string());
    finding.settings = {"TORCH_DISTRIBUTED_DEBUG"};
    return finding;
}

Outcome run(const Context& context)
{
    if (!collectivesOfSeveralRanks(context)) {
        return kNeedsCollectives;
    }
    std::vector<Finding> findings;
    for (const hang::StuckCollective& stuck : stuckCollectives(context)) {
        if (stuck.different.empty()) {
            continue;
        }
        if (stuck.ordersByPlace && droppedRecords(context) > 0) {
            return NotApplicable{"inconclusive: records were dropped on a communicator with sends and "
                                 "receives, so calls may have been compared at the wrong place",
                                 true};
        }
        findings.push_back(describe(context, stuck));
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(collective_mismatch, .title = "Ranks call different collectives", .needs = "host",
              .options = {}, .run = run,
              .help = "The first place in each communicator's order at which function, count, type, "
                      "reduction or root differ between ranks, as far as they are recorded. Every mismatch "
                      "is a problem; its cost cannot be estimated.");

} // namespace ringside::rules::rule_collective_mismatch
