// SPDX-License-Identifier: Apache-2.0
// Records of stretches: how they add up, and that they survive being sent.
#include "stretches/fold.h"
#include "stretches/stretch_record.h"
#include "support/said.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <string>

namespace ringside::stretches::fold_test {
namespace {

using ringside::Error;
using ringside::report::Draft;
using ringside::report::Report;
using ringside::rules::Finding;
using ringside::rules::Severity;
using ringside::stretches::Fold;
using ringside::stretches::pack;
using ringside::stretches::RankRecord;
using ringside::stretches::StretchRecord;
using ringside::stretches::unpack;

constexpr std::int64_t kStepNs = 1'000'000;
constexpr std::int64_t kSteps = 10;

Finding finding(const char* rule, std::optional<std::int64_t> costNs, std::vector<std::int64_t> ranks = {})
{
    Finding result;
    result.rule = rule;
    result.title = std::string("title of ") + rule;
    result.costNsPerStep = costNs;
    result.severity = ringside::rules::Severity::Warning;
    result.ranks = std::move(ranks);
    return result;
}

/// One rank with ten steps of a millisecond, from `first` on.
StretchRecord stretch(std::int64_t first, std::vector<Finding> findings)
{
    StretchRecord record;
    record.firstStep = first;
    record.lastStep = first + kSteps - 1;
    record.stepNs = kStepNs;
    record.coverage.found = kSteps;
    RankRecord rank;
    for (std::int64_t i = 0; i < kSteps; ++i) {
        record.analyzedSteps.push_back(first + i);
        ringside::metrics::Breakdown step;
        step.stepNs = kStepNs;
        step.computeNs = kStepNs / 2;
        rank.metrics.steps.push_back(step);
        rank.metrics.windows.push_back({(first + i) * kStepNs, (first + i + 1) * kStepNs});
        rank.metrics.stepLastArrivals.push_back(1);
        rank.metrics.total += step;
    }
    rank.metrics.periods = kSteps;
    rank.metrics.lastArrivals = kSteps;
    rank.metrics.blocking.commonest = "cudaStreamSynchronize";
    record.ranks.push_back(rank);
    for (const Finding& each : findings) {
        record.estimates.push_back(each.costNsPerStep);
    }
    record.findings = std::move(findings);
    return record;
}

/// The last stretch, which comes with its model.
Draft draft(std::int64_t first, std::vector<Finding> findings)
{
    const StretchRecord record = stretch(first, std::move(findings));
    Draft result;
    ringside::model::Model& model = result.report.model;
    model.ranks.resize(1);
    model.stretch = ringside::model::StepStretch{record.firstStep, record.lastStep};
    model.analyzedSteps = record.analyzedSteps;
    model.stepCoverage = record.coverage;
    result.report.metrics.ranks = {record.ranks.front().metrics};
    result.report.findings = record.findings;
    result.estimates = record.estimates;
    return result;
}

Report finish(Fold& fold, Draft last)
{
    fold.add(ringside::stretches::recordOf(last));
    return fold.finish(std::move(last));
}

const Finding* found(const Report& report, std::string_view rule)
{
    const auto at = std::ranges::find(report.findings, rule, &Finding::rule);
    return at != report.findings.end() ? &*at : nullptr;
}

TEST(StretchFold, StepsAndTotalsAddUp)
{
    Fold fold;
    fold.add(stretch(0, {}));
    const Report report = finish(fold, draft(kSteps, {}));
    ASSERT_EQ(report.metrics.ranks.size(), 1U);
    const auto& rank = report.metrics.ranks.front();
    EXPECT_EQ(rank.steps.size(), 2U * kSteps);
    EXPECT_EQ(rank.total.computeNs, kSteps * kStepNs);
    EXPECT_EQ(rank.median.stepNs, kStepNs);
    EXPECT_EQ(rank.lastArrivals, 2 * kSteps);
    EXPECT_EQ(rank.medianLastArrivals, 1);
    EXPECT_EQ(report.model.analyzedSteps.size(), 2U * kSteps);
    EXPECT_EQ(report.model.stepCoverage.found, 2U * kSteps);
    EXPECT_EQ(report.stretches, 2U);
}

TEST(StretchFold, ACostIsTheMeanOverAllSteps)
{
    Fold fold;
    fold.add(stretch(0, {finding("late_rank", 90'000, {3})}));
    fold.add(stretch(kSteps, {}));
    const Report report = finish(fold, draft(2 * kSteps, {finding("late_rank", 60'000, {3})}));
    const Finding* const late = found(report, "late_rank");
    ASSERT_NE(late, nullptr);
    EXPECT_EQ(late->costNsPerStep, 50'000);
    EXPECT_EQ(late->severity, Severity::Warning) << "5 % of the step";
    EXPECT_EQ(said(late->title), "title of late_rank (figures of steps 0 to 9; found in 2 of 3 stretches)");
}

TEST(StretchFold, ACauseOnOtherRanksIsAnotherCause)
{
    Fold fold;
    fold.add(stretch(0, {finding("late_rank", 90'000, {3})}));
    const Report report = finish(fold, draft(kSteps, {finding("late_rank", 60'000, {4})}));
    EXPECT_EQ(report.findings.size(), 2U);
}

TEST(StretchFold, ASymptomIsOneOnWhicheverRanksItShows)
{
    Finding first = finding("gpu_utilization_spread", 90'000, {3});
    Finding second = finding("gpu_utilization_spread", 60'000, {4});
    first.cause = second.cause = false;
    Fold fold;
    fold.add(stretch(0, {first}));
    const Report report = finish(fold, draft(kSteps, {second}));
    ASSERT_EQ(report.findings.size(), 1U);
    EXPECT_EQ(report.findings.front().ranks, std::vector<std::int64_t>{3}) << "where it costs most";
}

TEST(StretchFold, SmallCostsThatFewStretchesShowAreChance)
{
    Finding small = finding("sync_in_loop", 5'000);
    small.severity = Severity::Info;
    Fold fold;
    fold.add(stretch(0, {small}));
    fold.add(stretch(kSteps, {}));
    EXPECT_EQ(found(finish(fold, draft(2 * kSteps, {})), "sync_in_loop"), nullptr);
}

TEST(StretchFold, AFactAboutTheRunIsNotOfAStretch)
{
    const Finding death = finding("first_to_die", std::nullopt, {2});
    Fold fold;
    fold.add(stretch(0, {death}));
    const Report report = finish(fold, draft(kSteps, {death}));
    EXPECT_EQ(said(found(report, "first_to_die")->title), "title of first_to_die");
}

TEST(StretchFold, MediansOfManyCollectivesAreThoseOfEveryNth)
{
    constexpr std::int64_t kValues = 50'000;
    Fold fold;
    for (std::int64_t i = 0; i < 3; ++i) {
        StretchRecord record = stretch(i * kSteps, {});
        record.collectives.resize(1);
        record.collectives.front().count = kValues;
        record.collectiveTimes.resize(1);
        for (std::int64_t value = 0; value < kValues; ++value) {
            record.collectiveTimes.front().transfer.push_back(value * 7919 % kValues); // each value once
        }
        fold.add(record);
    }
    const Report report = finish(fold, draft(3 * kSteps, {}));
    ASSERT_EQ(report.metrics.collectives.size(), 1U);
    const auto& group = report.metrics.collectives.front();
    EXPECT_EQ(group.count, 3 * kValues);
    EXPECT_NEAR(static_cast<double>(*group.transferNs), kValues / 2.0, kValues / 100.0);
}

TEST(StretchFold, RulesThatApplyNowhereAreSaid)
{
    StretchRecord first = stretch(0, {});
    first.notApplicable = {{"late_rank", "too few steps", true}, {"host_bound", "no launches", false}};
    Draft last = draft(kSteps, {});
    last.report.notApplicable = {{"host_bound", "no launches", false}};
    Fold fold;
    fold.add(first);
    const Report report = finish(fold, std::move(last));
    ASSERT_EQ(report.notApplicable.size(), 1U);
    EXPECT_EQ(report.notApplicable.front().rule, "host_bound");
}

StretchRecord fullRecord()
{
    Finding full = finding("late_rank", 90'000, {3, 4});
    full.links = {"host mlx5_0:1"};
    full.figures = {{"excess", ringside::rules::Unit::Ratio, 0.5, 0.1}};
    full.evidence = {{3, 10, 20, "the longest"}};
    full.partOf = {"exposed_communication"};
    StretchRecord record = stretch(0, {full});
    record.collectives.resize(1);
    record.collectives.front().bytes = 1024;
    record.collectiveTimes = {{{1, 2, 3}, {4, 5}}};
    record.messages.resize(1);
    record.issues = {{ringside::trace::Issue::StillRecording, 2, "a process"}};
    record.notApplicable = {{"host_bound", "no launches", true}};
    return record;
}

TEST(StretchRecord, SurvivesBeingSent)
{
    const StretchRecord sent = fullRecord();
    const StretchRecord got = unpack(pack(sent));
    EXPECT_EQ(pack(got), pack(sent));
    EXPECT_EQ(got.findings.front().partOf.front(), "exposed_communication");
    EXPECT_EQ(got.findings.front().figures.front().threshold, 0.1);
    EXPECT_EQ(got.ranks.front().metrics.blocking.commonest, "cudaStreamSynchronize");
    EXPECT_EQ(got.collectiveTimes.front().kernel, (std::vector<std::int64_t>{4, 5}));
    EXPECT_EQ(got.issues.front().message, "a process");
}

TEST(StretchRecord, RefusesWhatIsNone)
{
    const std::string bytes = pack(fullRecord());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_THROW(static_cast<void>(unpack(std::string_view(bytes).substr(0, size))), Error) << size;
    }
    EXPECT_THROW(static_cast<void>(unpack(bytes + "x")), Error);
    EXPECT_THROW(static_cast<void>(unpack(std::string(1000, '\xff'))), Error);
}

} // namespace
} // namespace ringside::stretches::fold_test
