// SPDX-License-Identifier: Apache-2.0
// Finds a rank (or several equally late ranks) that keeps arriving last while the others wait. Collectives of
// one step are not independent, because a rank that computes longer is late to all of them. So the test
// against chance counts steps: in how many steps did this rank lose the most time, of all steps and of the
// few steps that hold most of the lost time (for a rank that is late only from time to time). With few steps,
// or none, it counts blocks within them, and the result is valid only for these.
#include "words/late_rank.h"

#include "metrics/experts.h"
#include "metrics/kernel_phases.h"
#include "metrics/lateness.h"
#include "rules/shared/chance.h"
#include "rules/shared/late_cause.h"
#include "rules/shared/origins.h"
#include "values/quantile.h"

namespace ringside::rules::rule_late_rank {
namespace {

namespace text = words::late_rank;

constexpr Option kOptions[] = {
    {"lost_share", 0.02, "warn when waiting for one rank costs more than this share of the step"},
    {"problem_share", 0.10, "a problem above this share"},
    {"chance", 0.01,
     "largest probability that chance alone makes a rank lose the most time in that many steps"},
};

// Two tests are made on the same steps, so each gets a part of the error probability (a weighted Bonferroni
// correction). The test over all steps gets the larger part, so that 8 steps of two ranks are still enough.
constexpr double kPartOfAll = 0.8;
constexpr double kPartOfHeavy = 0.2;

std::int64_t lostPerStep(const Context& context, const metrics::LateGroup& group)
{
    return static_cast<std::int64_t>(static_cast<double>(group.sumNs) / context.figures.periods());
}

/// Returns the cost of the lost time in ns per step: at most what waiting delays the other ranks.
std::int64_t costOf(const Context& context, const metrics::LateGroup& group, std::int64_t lostPerStep)
{
    std::vector<std::int64_t> waits;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (!std::binary_search(group.ranks.begin(), group.ranks.end(), rank.rank)) {
            waits.push_back(ofAStep(context, rank, rank.total.waitDelayNs));
        }
    }
    for (const metrics::TimedRank& rank :
         context.figures.timed.ranks) { // without the device tier, what compute hides is not known
        if (!std::binary_search(group.ranks.begin(), group.ranks.end(), rank.rank)) {
            waits.push_back(
                static_cast<std::int64_t>(static_cast<double>(rank.waitNs) / context.figures.periods()));
        }
    }
    return std::min(lostPerStep, model::median(std::move(waits)));
}

/// Returns true if sends and receives without a known peer are a large part of the communication: lateness
/// passes through them from group to group.
bool passesThroughUnknownMessages(const Context& context)
{
    constexpr double kMuch = 0.1;
    const bool unnamed = std::ranges::any_of(context.run.issues, [](const trace::IssueRow& issue) {
        return issue.is(trace::Issue::CollectivesUnnamed);
    });
    const auto sends = [&](const model::Rank& rank) {
        const trace::ProcessTrace& process = context.run.processOf(rank);
        return std::ranges::any_of(process.collectiveCalls, [&](const trace::CollectiveCallRow& call) {
            return model::collectiveKind(process.text(call.api)) == model::CollectiveKind::Receive;
        });
    };
    const bool unmatched =
        unnamed || (context.run.messages.empty() && std::ranges::any_of(context.run.ranks, sends) &&
                    std::ranges::none_of(context.run.operations, [](const model::Operation& operation) {
                        return operation.kind == model::CollectiveKind::AllToAll;
                    }));
    return unmatched && context.figures.arrivalShare().value_or(1) < 1 - kMuch;
}

/// Returns the reason why late ranks cannot be determined, if there is one.
std::optional<NotApplicable> missing(const Context& context)
{
    if (context.figures.ranks.empty() && context.figures.timed.ranks.empty()) {
        return kNeedsDevice;
    }
    if (!context.run.clockErrorNs()) {
        return NotApplicable{text::clocks, true};
    }
    if (!context.figures.arrivalsMeasured() && context.run.messages.empty()) {
        return kNeedsArrivals;
    }
    if (passesThroughUnknownMessages(context)) {
        return NotApplicable{text::unmatched, true};
    }
    return std::nullopt;
}

struct Assessment {
    std::int64_t lostNs = 0; ///< per step
    std::int64_t costNs = 0; ///< per step
    double share = 0;        ///< cost as a share of the step
    double chance = 1;
    bool nowAndThen = false; ///< only the blocks with the most lost time are significant, not all blocks
    std::optional<metrics::Lateness> cause; ///< null if nothing is long enough to explain the lost time
    bool contended = false; ///< the ranks waited for a processor, which explains what they cost
};

/// Kernels and copies run on without a processor, so their excess is not of its making.
bool isOnDevice(metrics::LateCause cause)
{
    using metrics::LateCause;
    return cause == LateCause::Compute || cause == LateCause::ThrottledClock || cause == LateCause::Copies;
}

/// Returns whether the ranks waited for a processor for half of what they cost, and what their devices did
/// explains less than half.
bool isContended(const Context& context, const metrics::LateGroup& group, const Assessment& assessment)
{
    const bool device = assessment.cause && isOnDevice(assessment.cause->cause) &&
                        2 * assessment.cause->excessNs >= assessment.costNs;
    return !device && assessment.costNs > 0 &&
           2 * metrics::withheldNs(context.run, context.figures, group.ranks) >= assessment.costNs;
}

Assessment assess(const Context& context, const metrics::LateGroup& group, std::size_t blocks)
{
    constexpr std::int64_t kLeastPart = 4; // a quarter
    Assessment result;
    result.lostNs = lostPerStep(context, group);
    result.costNs = costOf(context, group, result.lostNs);
    result.cause = metrics::findLateCause(context.run, context.figures, group.ranks);
    if (result.cause && kLeastPart * result.cause->excessNs < result.costNs) {
        result.cause.reset();
    }
    if (result.cause) {
        result.costNs = std::min(result.costNs, result.cause->allExcessNs);
    }
    result.contended = isContended(context, group, result);
    result.share = shareOfStep(context, result.costNs);
    const double groups = binomialCoefficient(group.candidates, group.ranks.size());
    const double ofAll = probabilityByChance(group.worstOfBlocks, blocks, groups) / kPartOfAll;
    const double ofHeavy =
        probabilityByChance(group.worstOfHeavyBlocks, group.heavyBlocks, groups) / kPartOfHeavy;
    result.nowAndThen = (group.worstWindow && metrics::isLateInFewBlocks(group, blocks)) ||
                        (ofHeavy < ofAll && ofAll > context.option("chance"));
    result.chance = std::min({1.0, ofAll, ofHeavy});
    return result;
}

/// Returns the number of steps below which even a rank that is late in all of them cannot be distinguished
/// from chance.
std::size_t stepsNeeded(const Context& context, const metrics::LateGroup& group)
{
    constexpr std::size_t kMost = 1000; // reached if the option cannot be met
    std::size_t steps = 1;
    const double groups = binomialCoefficient(group.candidates, group.ranks.size());
    while (steps < kMost &&
           probabilityByChance(steps, steps, groups) / kPartOfAll > context.option("chance")) {
        ++steps;
    }
    return steps;
}

std::vector<std::int64_t> numbersOf(const Context& context, const metrics::LateGroup& group)
{
    std::vector<std::int64_t> numbers;
    for (const std::size_t index : group.ranks) {
        numbers.push_back(context.run.ranks[index].rank);
    }
    return numbers;
}

NotApplicable tooFewSteps(const Context& context, const metrics::LateGroup& group, std::size_t steps)
{
    return {say(text::too_few_steps, {{"ranks", numbersOf(context, group)},
                                      {"steps", steps},
                                      {"needed", stepsNeeded(context, group)}}),
            true};
}

words::Text whereWithin(const Context& context)
{
    const std::size_t steps = context.figures.stepCount();
    return context.run.recordingIsStep() ? text::in_recording
           : steps == 1                  ? text::in_one_step
                                         : say(text::in_steps, {{"steps", steps}});
}

/// Why the ranks are late; null if it is not known.
std::optional<metrics::LateCause> causeOf(const Assessment& assessment)
{
    return assessment.contended ? std::optional(metrics::LateCause::CpuContention)
           : assessment.cause   ? std::optional(assessment.cause->cause)
                                : std::nullopt;
}

/// What the own timelines of late ranks show.
words::Text causeText(const Assessment& assessment, const std::vector<std::int64_t>& ranks)
{
    const auto cause = causeOf(assessment);
    return say(text::shows, {{"ranks", ranks}, {"cause", cause ? textOf(*cause).name : text::nothing}});
}

/// "Rank 7 comes last in this one step: ..."
words::Text titleWithin(const Context& context, const metrics::LateGroup& group, const Assessment& assessment)
{
    const std::vector<std::int64_t> ranks = numbersOf(context, group);
    return say(text::within, {{"ranks", ranks},
                              {"where", whereWithin(context)},
                              {"worst", group.worstOfOperations},
                              {"collectives", context.figures.arrived.size()},
                              {"cause", causeText(assessment, ranks)}});
}

words::Text titleOf(const Context& context, const metrics::LateGroups& all, const metrics::LateGroup& group,
                    const Assessment& assessment)
{
    if (all.withinSteps) {
        return titleWithin(context, group, assessment);
    }
    const std::vector<std::int64_t> ranks = numbersOf(context, group);
    const words::Text cause = context.figures.ranks.empty() ? say(text::not_recorded, {{"ranks", ranks}})
                                                            : causeText(assessment, ranks);
    const words::Text often =
        assessment.nowAndThen
            ? say(text::of_heavy_steps, {{"worst", group.worstOfHeavyBlocks}, {"steps", group.heavyBlocks}})
            : say(text::of_steps, {{"worst", group.worstOfBlocks}, {"steps", all.blocks}});
    return group.worstWindow ? originTitle(context, group, often, cause, assessment.nowAndThen)
                             : say(text::title, {{"ranks", ranks}, {"often", often}, {"cause", cause}});
}

/// What to do about the cause; `check` if it is not known.
words::Text adviceOf(const Assessment& assessment, const words::Template& check,
                     const std::vector<std::int64_t>& ranks)
{
    const auto cause = causeOf(assessment);
    return cause ? textOf(*cause).advice : say(check, {{"ranks", ranks}});
}

Evidence lastArrival(const Context& context, const metrics::LateGroup& group)
{
    const auto& worst = context.figures.arrived[group.worstOperation];
    const std::vector<std::int64_t> ranks = numbersOf(context, group);
    return {ranks.front(), worst.times.firstArrivalNs, worst.times.endNs,
            say(text::last_arrival, {{"ranks", ranks}, {"delay", group.largestNs}})};
}

Finding describe(const Context& context, const metrics::LateGroups& all, const metrics::LateGroup& group,
                 const Assessment& assessment)
{
    const auto collectives = static_cast<double>(context.figures.arrived.size());
    Finding finding;
    finding.severity =
        assessment.share > context.option("problem_share") ? Severity::Problem : Severity::Warning;
    finding.limit = assessment.contended ? Limit::Host : Limit::LateRank;
    finding.cause = !assessment.contended;
    finding.title = titleOf(context, all, group, assessment);
    finding.ranks = numbersOf(context, group);
    finding.costNsPerStep = assessment.costNs;
    finding.partOf = {"exposed_communication"};
    finding.figures = {
        {"lost_share", Unit::Share, assessment.share, context.option("lost_share")},
        {"chance", Unit::Probability, assessment.chance, context.option("chance")},
        {"lost_ns", Unit::Ns, static_cast<double>(assessment.lostNs), {}, PerPeriod::Yes},
    };
    if (group.worstWindow) {
        finding.figures.push_back(
            {"worst_of_steps", Unit::Count, static_cast<double>(group.worstOfBlocks), {}});
    } else {
        finding.figures.push_back(
            {"last_arrivals_share", Unit::Share, static_cast<double>(group.losses.size()) / collectives, {}});
    }
    if (all.withinSteps) {
        finding.figures.push_back(
            {"worst_of_blocks", Unit::Count, static_cast<double>(group.worstOfBlocks), {}});
        finding.figures.push_back({"blocks", Unit::Count, static_cast<double>(all.blocks), {}});
    }
    if (assessment.cause && !assessment.contended) {
        finding.figures.push_back({"cause_excess_ns",
                                   Unit::Ns,
                                   static_cast<double>(assessment.cause->excessNs),
                                   {},
                                   PerPeriod::Yes});
    }
    if (const auto shortfall = metrics::initialWaitShortfall(context.run, context.figures, group.ranks)) {
        finding.figures.push_back(
            {"phase_excess_ns", Unit::Ns, static_cast<double>(*shortfall), {}, PerPeriod::Yes});
    }
    finding.evidence = {group.worstWindow ? originEvidence(context, group) : lastArrival(context, group)};
    finding.advice = adviceOf(assessment, text::check_collectives, finding.ranks);
    return finding;
}

/// Returns the ranks with unevenly filled experts, on which expert_imbalance reports.
std::vector<std::size_t> unevenExperts(const Context& context)
{
    const metrics::ExpertFigures experts = metrics::expertsOf(context.run, context.figures);
    return experts.areUneven(metrics::kUnevenExperts) ? experts.ranks : std::vector<std::size_t>{};
}

/// Returns the ranks that stand out as those waited for. Together they cause at least half of all waiting,
/// which can take more ranks than that; beyond, the largest drop to the next rank divides them from the
/// others, who are at least half of the ranks.
std::vector<metrics::WaitedFor> mostWaitedFor(std::vector<metrics::WaitedFor> waited, std::size_t ranks)
{
    double all = 0;
    for (const metrics::WaitedFor& each : waited) {
        all += each.waitNs;
    }
    double held = 0;
    double largest = -1;
    std::size_t count = 0;
    for (std::size_t i = 0; i < waited.size() && (count == 0 || 2 * (i + 1) <= ranks); ++i) {
        held += waited[i].waitNs;
        const double drop = waited[i].waitNs - (i + 1 < waited.size() ? waited[i + 1].waitNs : 0);
        if (2 * held >= all && drop > largest) {
            largest = drop;
            count = i + 1;
        }
    }
    waited.resize(count);
    return waited;
}

/// "rank 7 in 5 of 8 collectives (61.0 % of the waiting)"
words::Text waitedText(const Context& context, const std::vector<metrics::WaitedFor>& most, double allNs)
{
    words::Text waited;
    for (const metrics::WaitedFor& each : most) {
        waited += waited.empty() ? words::Text() : text::and_for;
        waited += say(text::waited_for, {{"rank", context.run.ranks[each.rank].rank},
                                         {"times", each.operations},
                                         {"collectives", context.figures.arrived.size()},
                                         {"share", each.waitNs / allNs}});
    }
    return waited;
}

/// Describes whom the others waited for if there are too few collectives to draw conclusions about other
/// steps.
Finding describeWaiting(const Context& context, const std::vector<metrics::WaitedFor>& most, double allNs)
{
    const auto& worst = context.figures.arrived[most.front().worstOperation];
    metrics::LateGroup group;
    Finding finding;
    std::int64_t lostNs = 0;
    for (const metrics::WaitedFor& each : most) {
        group.ranks.push_back(each.rank);
        finding.ranks.push_back(context.run.ranks[each.rank].rank);
        for (const metrics::RankMetrics& rank : context.figures.ranks) {
            lostNs += rank.rank == each.rank ? ofAStep(context, rank, rank.lostNs) : 0;
        }
    }
    std::ranges::sort(group.ranks);
    std::ranges::sort(finding.ranks);
    Assessment assessment;
    assessment.cause = metrics::findLateCause(context.run, context.figures, group.ranks);
    finding.limit = Limit::LateRank;
    finding.partOf = {"exposed_communication"};
    finding.costNsPerStep = costOf(context, group, lostNs);
    const double share = shareOfStep(context, *finding.costNsPerStep);
    const metrics::Breakdown total = context.figures.total();
    const bool large = total.share(total.waitDelayNs) > context.option("problem_share");
    finding.severity = large ? Severity::Warning : Severity::Info;
    finding.title = say(text::waited, {{"where", whereWithin(context)},
                                       {"waited", waitedText(context, most, allNs)},
                                       {"ranks", finding.ranks},
                                       {"cause", causeText(assessment, finding.ranks)}});
    finding.figures = {
        {"lost_share", Unit::Share, share, context.option("lost_share")},
        {"wait_share", Unit::Share, most.front().waitNs / allNs, {}},
        {"last_arrivals_share",
         Unit::Share,
         static_cast<double>(most.front().operations) / static_cast<double>(context.figures.arrived.size()),
         {}}};
    finding.evidence = {{context.run.ranks[most.front().rank].rank, worst.times.firstArrivalNs,
                         worst.times.endNs, text::longest_wait}};
    finding.advice = adviceOf(assessment, text::check_collective, finding.ranks);
    return finding;
}

/// Returns no findings if waiting delays the steps by too little.
Outcome findMostWaitedFor(const Context& context)
{
    const metrics::Breakdown total = context.figures.total();
    if (total.share(total.waitDelayNs) <= context.option("lost_share")) {
        return std::vector<Finding>{};
    }
    if (context.figures.arrivalsBelowError) {
        return kBelowClockError;
    }
    const std::vector<metrics::WaitedFor> waited = metrics::findWaitedFor(context.run, context.figures);
    double allNs = 0;
    for (const metrics::WaitedFor& each : waited) {
        allNs += each.waitNs;
    }
    return std::vector<Finding>{
        describeWaiting(context, mostWaitedFor(waited, context.run.ranks.size()), std::max(1.0, allNs))};
}

/// Returns true if the group is late because of the compute of its experts.
bool isOfExperts(const metrics::LateGroup& group, const Assessment& assessment,
                 const std::vector<std::size_t>& experts)
{
    const auto hasExperts = [&](std::size_t rank) { return std::ranges::binary_search(experts, rank); };
    return assessment.cause && assessment.cause->cause == metrics::LateCause::Compute &&
           std::ranges::all_of(group.ranks, hasExperts);
}

Outcome run(const Context& context)
{
    if (const auto reason = missing(context)) {
        return *reason;
    }
    std::vector<Finding> findings;
    std::optional<NotApplicable> doubt;
    const std::vector<std::size_t> experts = unevenExperts(context);
    const metrics::LateGroups all = metrics::findLateGroups(context.run, context.figures);
    for (const metrics::LateGroup& group : all.groups) {
        if (shareOfStep(context, lostPerStep(context, group)) <= context.option("lost_share")) {
            continue; // a large run has many groups with gaps that arose by chance
        }
        const Assessment assessment = assess(context, group, all.blocks);
        if (assessment.share <= context.option("lost_share") || isOfExperts(group, assessment, experts)) {
            continue;
        }
        if (assessment.chance > context.option("chance")) {
            const bool few = !all.withinSteps && stepsNeeded(context, group) > all.blocks;
            doubt = few && !doubt ? std::optional(tooFewSteps(context, group, all.blocks)) : doubt;
        } else if (values::quantile(group.losses, 0.95) <= *context.run.clockErrorNs()) {
            // The loss concentrates in few operations (often the first of a step), so a high quantile is
            // compared, not the median.
            doubt = kBelowClockError;
        } else {
            findings.push_back(describe(context, all, group, assessment));
        }
    }
    if (findings.empty() && !doubt && all.withinSteps) {
        return findMostWaitedFor(context);
    }
    if (findings.empty() && doubt) {
        return *doubt;
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(late_rank, .title = text::heading, .needs = {{"device"}, ", on all ranks"}, .options = kOptions,
              .run = run, .help = text::help, .comparesRanks = true, .namesLateRanks = true);

} // namespace ringside::rules::rule_late_rank
