// SPDX-License-Identifier: Apache-2.0
// Finds ranks that call different collectives at the same position of a communicator's order. NCCL does not
// check this: such a run hangs, or reduces garbage. The cost cannot be estimated, so the finding is listed
// before those that cost time.
#include "words/collective_mismatch.h"

#include "rules/shared/stuck.h"

namespace ringside::rules::rule_collective_mismatch {
namespace {

namespace text = words::collective_mismatch;

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
    finding.title = say(text::title, {{"collective", nameOf(stuck)},
                                      {"rank", std::vector<std::int64_t>{other->rank}},
                                      {"call", callText(other->call)},
                                      {"usual", callText(stuck.call())},
                                      {"difference", hang::differenceOf(stuck.call(), other->call)}});
    const std::int64_t places = std::max<std::int64_t>(1, mismatchesOf(context, stuck.communicator));
    finding.figures = {{"differing_ranks", Unit::Count, static_cast<double>(stuck.different.size()), 0},
                       {"differing_collectives", Unit::Count, static_cast<double>(places), 0}};
    finding.evidence = {evidence(*other), evidence(stuck.arrived[stuck.common])};
    finding.advice = say(text::remedy, {{"run", context.run.trace.path.filename().string()}});
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
            return NotApplicable{text::dropped, true};
        }
        findings.push_back(describe(context, stuck));
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(collective_mismatch, .title = text::heading, .needs = {{"host"}}, .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_collective_mismatch
