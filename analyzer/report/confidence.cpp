// SPDX-License-Identifier: Apache-2.0
#include "report/confidence.h"

#include "rules/shared/support.h"
#include "words/confidence.h"

#include <algorithm>

namespace ringside::report {
namespace {

namespace confidence_text = words::confidence;
using Broken = std::optional<words::Text>;

constexpr std::size_t kManySteps = 10;

Broken unless(bool holds, const words::Template& broken)
{
    return holds ? Broken() : Broken(broken);
}

Broken deviceTimes(const Report& report, const rules::Finding* /*first*/)
{
    return unless(!report.metrics.ranks.empty() || !report.metrics.timed.arrived.empty(),
                  confidence_text::no_device_times);
}

/// CUDA events around NCCL's calls: a finding about them stands, but nothing says that it is all there is.
Broken findingInCalls(const Report& report, const rules::Finding* first)
{
    return unless(report.metrics.timed.arrived.empty() || first != nullptr, confidence_text::only_calls);
}

Broken moreThanCalls(const Report& report, const rules::Finding* /*first*/)
{
    return unless(report.metrics.timed.arrived.empty(), confidence_text::only_calls);
}

Broken steps(const Report& report, const rules::Finding* /*first*/)
{
    return unless(!report.model.recordingIsStep(), confidence_text::no_steps);
}

Broken steady(const Report& report, const rules::Finding* /*first*/)
{
    return unless(report.model.recordingIsStep() || !report.model.analyzedWhole, confidence_text::not_steady);
}

Broken witnessed(const Report& report, const rules::Finding* /*first*/)
{
    return unless(!report.model.stepsGuessed() ||
                      report.model.stepPeriod->confidence != model::StepConfidence::Low,
                  confidence_text::not_witnessed);
}

Broken measuredRanks(const Report& report, std::int64_t least)
{
    const auto measured = std::ssize(report.metrics.ranks);
    return measured >= least
               ? Broken()
               : Broken(words::say(confidence_text::some_ranks,
                                   {{"measured", measured}, {"world", report.model.worldSize}}));
}

Broken halfOfRanks(const Report& report, const rules::Finding* /*first*/)
{
    return measuredRanks(report, (report.model.worldSize + 1) / 2);
}

Broken allRanks(const Report& report, const rules::Finding* /*first*/)
{
    return measuredRanks(report, report.model.worldSize);
}

Broken conclusive(const Report& report, const rules::Finding* /*first*/)
{
    const auto rule = std::ranges::find(report.notApplicable, true, &MissingRule::inconclusive);
    return rule == report.notApplicable.end()
               ? Broken()
               : Broken(words::say(confidence_text::inconclusive,
                                   {{"rule", rule->rule}, {"reason", rule->reason}}));
}

Broken deviceClock(const Report& report, const rules::Finding* /*first*/)
{
    return unless(std::ranges::none_of(
                      report.issues,
                      [](const trace::IssueRow& row) { return row.is(trace::Issue::StepsFromHostClock); }),
                  confidence_text::host_clock);
}

Broken manySteps(const Report& report, const rules::Finding* /*first*/)
{
    const std::size_t count = report.metrics.stepCount();
    return report.model.analyzedWhole || count >= kManySteps
               ? Broken()
               : Broken(words::say(confidence_text::few_steps, {{"steps", count}, {"least", kManySteps}}));
}

Broken complete(const Report& report, const rules::Finding* /*first*/)
{
    return report.droppedRecords == 0
               ? Broken()
               : Broken(words::say(confidence_text::dropped, {{"records", report.droppedRecords}}));
}

Broken certain(const Report& /*report*/, const rules::Finding* first)
{
    return first == nullptr || first->doubt.empty() ? Broken() : Broken(first->doubt);
}

Broken quietHosts(const Report& report, const rules::Finding* first)
{
    const auto contended = std::ranges::find_if(report.findings, [](const rules::Finding& finding) {
        const rules::Rule* const rule = rules::findRule(finding.rule);
        return rule != nullptr && rule->contendsHosts;
    });
    return contended == report.findings.end() || &*contended == first
               ? Broken()
               : Broken(words::say(confidence_text::contended, {{"rule", contended->rule}}));
}

/// Of a finding without a cost, nobody knows whether it limits the run.
Broken costed(const Report& /*report*/, const rules::Finding* first)
{
    return unless(first == nullptr || first->costNsPerStep, confidence_text::no_cost);
}

/// A loss that is named because its causes explain little of it has a larger cause that was not found.
Broken explained(const Report& report, const rules::Finding* first)
{
    if (first == nullptr || first->cause) {
        return {};
    }
    const auto part = std::ranges::find_if(report.findings, [first](const rules::Finding& other) {
        return other.cause && other.severity != rules::Severity::Info &&
               std::ranges::find(other.partOf, std::string_view(first->rule)) != other.partOf.end();
    });
    return part == report.findings.end()
               ? Broken()
               : Broken(words::say(confidence_text::partly, {{"rule", part->rule}}));
}

/// A late rank has three witnesses: the arrivals, without which there is no such finding, its own timeline
/// or what NCCL's kernels waited for at their start, and the replay without its lateness.
Broken threeWitnesses(const Report& /*report*/, const rules::Finding* first)
{
    const rules::Rule* const rule = first != nullptr ? rules::findRule(first->rule) : nullptr;
    if (rule == nullptr || !rule->namesLateRanks) {
        return {};
    }
    if (rules::hasFigure(*first, "phase_excess_ns") && rules::figureOf(*first, "phase_excess_ns") <= 0) {
        return Broken(confidence_text::phases_disagree);
    }
    return rules::figureOf(*first, "cause_excess_ns") <= 0 && rules::figureOf(*first, "phase_excess_ns") <= 0
               ? Broken(confidence_text::own_timeline)
               : unless(rules::hasFigure(*first, "replayed_saving_ns"), confidence_text::no_replay);
}

/// Two causes that cost about the same change places from run to run.
bool isWithin(const rules::Finding& part, const rules::Finding& whole)
{
    return std::ranges::find(part.partOf, whole.rule) != part.partOf.end();
}

Broken clearlyFirst(const Report& report, const rules::Finding* first)
{
    constexpr double kNear = 0.8; // replays are off by up to a fifth
    if (first == nullptr || !first->costNsPerStep) {
        return {};
    }
    const auto rival = std::ranges::find_if(report.findings, [first](const rules::Finding& other) {
        return other.cause && other.restates.empty() && other.limit != first->limit && other.costNsPerStep &&
               !isWithin(other, *first) && !isWithin(*first, other) &&
               static_cast<double>(*other.costNsPerStep) >=
                   kNear * static_cast<double>(*first->costNsPerStep);
    });
    return rival == report.findings.end()
               ? Broken()
               : Broken(words::say(confidence_text::rival, {{"rule", rival->rule}}));
}

using LostPart = std::int64_t (*)(const metrics::Breakdown&);
constexpr LostPart kLostParts[] = {[](const metrics::Breakdown& part) { return part.exposedCommunicationNs; },
                                   [](const metrics::Breakdown& part) { return part.exposedCopyNs; },
                                   [](const metrics::Breakdown& part) { return part.idleNs; }};

/// The largest part of a step that is lost, as a share of each half of the run.
Broken stable(const Report& report, const rules::Finding* first)
{
    constexpr double kSame = 0.5;
    if (first == nullptr || report.metrics.stepCount() < kManySteps) {
        return {};
    }
    metrics::Breakdown halves[2];
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        for (std::size_t i = 0; i < rank.steps.size(); ++i) {
            halves[2 * i < rank.steps.size() ? 0 : 1] += rank.steps[i];
        }
    }
    const metrics::Breakdown whole = report.metrics.total();
    const LostPart largest =
        *std::ranges::max_element(kLostParts, {}, [&](LostPart part) { return part(whole); });
    const double before = halves[0].share(largest(halves[0]));
    const double after = halves[1].share(largest(halves[1]));
    return std::min(before, after) >= kSame * std::max(before, after)
               ? Broken()
               : Broken(words::say(confidence_text::unstable, {{"before", before}, {"after", after}}));
}

/// Of equal confidence, the reason of the first row is told.
constexpr Condition kConditions[] = {
    {"device_times", Confidence::Inconclusive, &confidence_text::device_times, deviceTimes},
    {"finding_in_calls", Confidence::Inconclusive, &confidence_text::cause_in_calls, findingInCalls},
    {"more_than_calls", Confidence::Low, &confidence_text::more_than_calls, moreThanCalls},
    {"steps", Confidence::Low, &confidence_text::steps, steps},
    {"steady", Confidence::Low, &confidence_text::steady, steady},
    {"witnessed", Confidence::Low, &confidence_text::witnessed, witnessed},
    {"half_of_ranks", Confidence::Low, &confidence_text::half_of_ranks, halfOfRanks},
    {"conclusive", Confidence::Low, &confidence_text::conclusive, conclusive},
    {"device_clock", Confidence::Low, &confidence_text::device_clock, deviceClock},
    {"all_ranks", Confidence::Medium, &confidence_text::all_ranks, allRanks},
    {"many_steps", Confidence::Medium, &confidence_text::many_steps, manySteps},
    {"complete", Confidence::Medium, &confidence_text::complete, complete},
    {"certain", Confidence::Medium, &confidence_text::certain, certain},
    {"costed", Confidence::Medium, &confidence_text::costed, costed},
    {"explained", Confidence::Medium, &confidence_text::explained, explained},
    {"quiet_hosts", Confidence::Medium, &confidence_text::quiet_hosts, quietHosts},
    {"three_witnesses", Confidence::Medium, &confidence_text::three_witnesses, threeWitnesses},
    {"clearly_first", Confidence::Medium, &confidence_text::clearly_first, clearlyFirst},
    {"stable", Confidence::Medium, &confidence_text::stable, stable},
};

} // namespace

std::string_view confidenceName(Confidence confidence)
{
    constexpr std::string_view kNames[] = {"high", "medium", "low", "inconclusive"};
    return kNames[static_cast<std::size_t>(confidence)];
}

std::span<const Condition> confidenceConditions()
{
    return kConditions;
}

std::vector<Judged> judgeConfidence(const Report& report, const rules::Finding* first)
{
    std::vector<Judged> judged;
    for (const Condition& each : kConditions) {
        judged.push_back({&each, each.broken(report, first)});
    }
    return judged;
}

const Judged* weakest(std::span<const Judged> judged)
{
    const Judged* result = nullptr;
    for (const Judged& each : judged) {
        if (each.broken && (result == nullptr || each.condition->atMost > result->condition->atMost)) {
            result = &each;
        }
    }
    return result;
}

} // namespace ringside::report
