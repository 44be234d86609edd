// SPDX-License-Identifier: Apache-2.0
#include "report/confidence.h"

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
