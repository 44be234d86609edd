// SPDX-License-Identifier: Apache-2.0
// How a long run is cut into stretches.
#include "stretches/plan.h"

#include <gtest/gtest.h>

#include <limits>

namespace {

using ringside::stretches::clockSampleOf;
using ringside::stretches::kLookAhead;
using ringside::stretches::memoryOf;
using ringside::stretches::partOf;
using ringside::stretches::Plan;
using ringside::stretches::planStretches;
using ringside::stretches::Span;
using ringside::trace::ProcessOutline;
using ringside::trace::RangeRow;
using ringside::trace::RankRow;
using ringside::trace::StepRow;
using ringside::trace::TimeRanges;

constexpr std::int64_t kStepNs = 1'000;

RankRow rankRow(std::int64_t rank)
{
    RankRow row;
    row.rank = rank;
    return row;
}

/// A process whose step n begins at `begin` + n * 1,000 ns.
ProcessOutline process(const char* file, std::int64_t rank, std::int64_t begin, std::int64_t steps)
{
    ProcessOutline outline;
    outline.file = file;
    outline.processId = 1;
    outline.marks.ranks.push_back(rankRow(rank));
    for (std::int64_t number = 0; number < steps; ++number) {
        StepRow step;
        step.number = number;
        step.startNs = begin + number * kStepNs;
        step.endNs = step.startNs + kStepNs;
        outline.marks.steps.push_back(step);
    }
    outline.packedRows = static_cast<std::uint64_t>(steps) * 400;
    outline.kernels = outline.packedRows / 2;
    outline.collectives = static_cast<std::uint64_t>(steps) * 8;
    return outline;
}

std::vector<ProcessOutline> job(std::int64_t steps)
{
    return {process("a.db", 0, 0, steps), process("b.db", 1, 5'000'000, steps)};
}

std::uint64_t memoryOfAll(const std::vector<ProcessOutline>& processes)
{
    std::uint64_t bytes = 0;
    for (const ProcessOutline& each : processes) {
        bytes += memoryOf(each);
    }
    return bytes;
}

Plan planned(const std::vector<ProcessOutline>& processes, std::uint64_t parts)
{
    return planStretches(processes, memoryOfAll(processes) / parts);
}

TimeRanges timesOf(const Plan& plan, std::size_t stretch, const char* file)
{
    return partOf(plan, plan.stretches.at(stretch)).rows.at({file, 1});
}

ringside::model::StepStretch stepsOf(const Plan& plan, std::size_t stretch)
{
    return partOf(plan, plan.stretches.at(stretch)).steps;
}

TEST(StretchPlan, ReadsARunThatFitsAsAWhole)
{
    EXPECT_TRUE(planned(job(1'000), 1).stretches.empty());
}

TEST(StretchPlan, EveryStepIsInOneStretch)
{
    const Plan plan = planned(job(1'003), 7);
    ASSERT_EQ(plan.stretches.size(), 8U);
    std::size_t next = 0;
    for (const Span& stretch : plan.stretches) {
        EXPECT_EQ(stretch.first, next);
        EXPECT_NEAR(static_cast<double>(stretch.last - stretch.first + 1), 1'003.0 / 8, 1.0);
        next = stretch.last + 1;
    }
    EXPECT_EQ(next, 1'003U);
}

TEST(StretchPlan, ReadsAFewStepsAroundAStretchOnEachProcessesClock)
{
    const Plan plan = planned(job(1'000), 4);
    const auto steps = stepsOf(plan, 1);
    constexpr auto kAhead = static_cast<std::int64_t>(kLookAhead);
    const std::vector<std::pair<const char*, std::int64_t>> begins{{"a.db", 0}, {"b.db", 5'000'000}};
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const auto& [file, begin] = begins[i];
        const auto hull = timesOf(plan, 1, file).hull();
        EXPECT_EQ(hull.beginNs, begin + (steps.first - kAhead) * kStepNs);
        EXPECT_EQ(hull.endNs, begin + (steps.last + 1 + kAhead) * kStepNs);
        EXPECT_EQ(steps.steps.at(i).front().number, steps.first - kAhead);
        EXPECT_EQ(steps.steps.at(i).back().number, steps.last + kAhead);
    }
}

TEST(StretchPlan, WhatLiesBeforeAndBehindTheStepsIsInTheFirstAndTheLastStretch)
{
    const Plan plan = planned(job(1'000), 4);
    const auto first = stepsOf(plan, 0);
    EXPECT_TRUE(first.beginsRun);
    EXPECT_FALSE(first.endsRun);
    EXPECT_TRUE(stepsOf(plan, plan.stretches.size() - 1).endsRun);
    EXPECT_TRUE(timesOf(plan, 0, "a.db").holds(std::numeric_limits<std::int64_t>::min()));
    EXPECT_TRUE(
        timesOf(plan, plan.stretches.size() - 1, "b.db").holds(std::numeric_limits<std::int64_t>::max() - 1));
}

TEST(StretchPlan, ARankThatEndedEarlyHasNothingToReadLater)
{
    auto processes = job(1'000);
    processes.push_back(process("c.db", 2, 0, 100));
    const Plan plan = planned(processes, 4);
    EXPECT_FALSE(timesOf(plan, 2, "c.db").holds(100 * kStepNs));
    EXPECT_TRUE(stepsOf(plan, 2).steps.at(2).empty());
}

TEST(StretchPlan, AProcessWithoutRankIsReadAsAWhole)
{
    auto processes = job(1'000);
    processes.emplace_back();
    processes.back().file = "sampler.db";
    const Plan plan = planned(processes, 4);
    ASSERT_FALSE(plan.stretches.empty());
    EXPECT_FALSE(partOf(plan, plan.stretches.front()).rows.contains({"sampler.db", 0}));
}

TEST(StretchPlan, NothingIsReadOfAHelperWithTheRankOfItsParent)
{
    auto processes = job(1'000);
    processes.push_back(process("helper.db", 1, 0, 0));
    processes.back().packedRows = 10;
    const Plan plan = planned(processes, 4);
    ASSERT_FALSE(plan.stretches.empty());
    const TimeRanges times = timesOf(plan, 1, "helper.db");
    EXPECT_FALSE(times.holds(0));
    EXPECT_FALSE(times.holds(300 * kStepNs));
}

TEST(StretchPlan, CutsAtRangesThatAreSteps)
{
    auto processes = job(1'000);
    for (ProcessOutline& process : processes) {
        process.marks.strings.emplace(1, "training_step");
        for (const StepRow& step : process.marks.steps) {
            RangeRow range;
            range.name = 1;
            range.startNs = step.startNs;
            range.endNs = step.endNs - 1;
            process.marks.ranges.push_back(range);
        }
        process.marks.steps.clear();
    }
    const Plan plan = planned(processes, 4);
    ASSERT_EQ(plan.stretches.size(), 5U);
    const auto second = stepsOf(plan, 1);
    EXPECT_EQ(second.first, 201); // names without numbers are counted from 1
    EXPECT_NE(second.definition, ringside::model::kMarkedSteps);
}

TEST(StretchPlan, CountsStepsWhoseNumbersBeginAnew)
{
    auto processes = job(1'000);
    for (ProcessOutline& process : processes) {
        for (StepRow& step : process.marks.steps) {
            step.number %= 100; // in each epoch
        }
    }
    const Plan plan = planned(processes, 4);
    ASSERT_EQ(plan.stretches.size(), 5U);
    EXPECT_EQ(stepsOf(plan, 1).first, 201);
}

TEST(StretchPlan, DoesNotCutWhereStepsAreNotKnownBeforehand)
{
    auto unmarked = job(1'000);
    unmarked[1].marks.steps.clear();
    auto restarted = job(1'000);
    restarted[0].marks.ranks.front().attempt = 1;
    auto light = job(1'000);
    light[1].kernels = 0;
    auto shared = job(1'000);
    shared[0].marks.ranks.push_back(rankRow(7));
    auto unknown = job(1'000);
    unknown[1].marks.ranks.clear();
    auto damaged = job(1'000);
    damaged[1].damaged = true;
    for (const auto& processes : {unmarked, restarted, light, shared, unknown, damaged}) {
        EXPECT_TRUE(planned(processes, 4).stretches.empty());
    }
}

TEST(StretchPlan, AStretchIsLongEnoughToCompareSteps)
{
    EXPECT_EQ(planStretches(job(100), 1).stretches.size(), 5U);
    EXPECT_TRUE(planStretches(job(30), 1).stretches.empty());
}

TEST(StretchPlan, FitsClocksToStepsOfTheWholeRun)
{
    const TimeRanges times = clockSampleOf(planned(job(1'000), 4)).rows.at({"a.db", 1});
    EXPECT_TRUE(times.holds(0));
    EXPECT_TRUE(times.holds(999 * kStepNs));
    EXPECT_FALSE(times.holds(70 * kStepNs));
}

} // namespace
