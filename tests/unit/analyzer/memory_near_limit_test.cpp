// SPDX-License-Identifier: Apache-2.0
// Rule memory_near_limit: growing memory, refused allocations, and the time after them.
#include "golden/training_run.h"
#include "report/report.h"
#include "support/said.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ringside::rules {
namespace {

using namespace test;

constexpr double kGibibyte = 1U << 30U;

struct Call {
    std::size_t step = 0; ///< index
    std::int32_t result = 0;
    std::string api = "cudaMalloc";
};

struct Memory {
    double gibibytesAStep = 0;
    std::vector<Call> allocations; ///< rank 1's
    double from = 4 * kGibibyte;   ///< of 16 GiB
    bool freed = false;            ///< all of it, at the end of the last step
};

/// Ten samples a step, on all ranks.
void sample(TraceBuilder& trace, const Memory& memory)
{
    constexpr std::int64_t kSamples = 10;
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        const std::vector<trace::StepRow> steps = trace.process(rank).steps;
        for (std::size_t i = 0; i < steps.size() * kSamples; ++i) {
            const std::size_t index = i / kSamples;
            const trace::StepRow& step = steps[index];
            const auto part = static_cast<std::int64_t>(i % kSamples);
            const double grown = memory.gibibytesAStep * kGibibyte * static_cast<double>(index);
            trace.sample(
                rank, {0, "nvml", "gpu0", "memory_used_bytes", "gauge"},
                step.startNs + (step.endNs - step.startNs) * part / kSamples,
                memory.freed && i + 1 == steps.size() * kSamples ? 0 : std::llround(memory.from + grown));
        }
    }
}

void allocate(TraceBuilder& trace, const Memory& memory)
{
    trace::ProcessTrace& process = trace.process(1);
    for (const Call& call : memory.allocations) {
        trace::ApiCallColumns& calls = process.apiCalls;
        const trace::StepRow& step = process.steps[call.step];
        calls.startNs.push_back((step.startNs + step.endNs) / 2 + static_cast<std::int64_t>(calls.size()));
        calls.endNs.push_back(calls.startNs[calls.size() - 1] + 1000);
        calls.api.push_back(trace.text(1, call.api));
        calls.thread.push_back(1);
        calls.stream.push_back(0);
        calls.copyKind.push_back(0xFFFFFFFF);
        calls.bytes.push_back(0);
        calls.result.push_back(call.result);
    }
}

report::Report reportOf(const Memory& memory, const OptionValues& values = {})
{
    TrainingRun run;
    run.steps = 45;
    run.edit = [&memory](TraceBuilder& trace) {
        sample(trace, memory);
        allocate(trace, memory);
    };
    return report::buildReport(simulate(run), values);
}

std::optional<Finding> found(const report::Report& report)
{
    const auto found = std::ranges::find(report.findings, "memory_near_limit", &Finding::rule);
    return found == report.findings.end() ? std::nullopt : std::optional(*found);
}

double figure(const Finding& finding, std::string_view name)
{
    const auto figure = std::ranges::find(finding.figures, name, &Figure::name);
    return figure == finding.figures.end() ? -1 : figure->value;
}

TEST(MemoryNearLimit, reportsWhenGrowingMemoryWillBeFull)
{
    const auto finding = found(reportOf({.gibibytesAStep = 0.125, .allocations = {}}));
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->severity, Severity::Warning);
    EXPECT_FALSE(finding->broken);
    EXPECT_EQ(finding->ranks, (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_NEAR(figure(*finding, "growth"), 0.125 * kGibibyte, 0.01 * kGibibyte);
    EXPECT_NEAR(figure(*finding, "steps_until_full"), (16 - 4 - 44 * 0.125) / 0.125, 5);
    EXPECT_EQ(said(finding->title).rfind("The GPU's memory in use grows by 12", 0), 0U)
        << said(finding->title);
    EXPECT_NE(said(finding->title).find("within a minute at this rate"), std::string::npos)
        << said(finding->title);
}

/// What is left lasts the longer, the slower it is used up.
TEST(MemoryNearLimit, describesHowLongGrowingMemoryLasts)
{
    const auto title = [](double hours) {
        const Memory once{.gibibytesAStep = 1e-6, .allocations = {}};
        const double perHour = figure(*found(reportOf(once)), "hours_until_full");
        const auto finding = found(reportOf({.gibibytesAStep = 1e-6 * perHour / hours, .allocations = {}}));
        return finding ? said(finding->title) : std::string();
    };
    for (const auto& [hours, words] :
         {std::pair(0.5 / 60, "within a minute at"), std::pair(1.2 / 60, "in 1 minute at"),
          std::pair(1.7 / 60, "in 2 minutes at"), std::pair(1.9, "in 114 minutes at"),
          std::pair(2.2, "in 2 hours at"), std::pair(50.0, "in 2 days at")}) {
        EXPECT_NE(title(hours).find(words), std::string::npos) << title(hours);
    }
}

TEST(MemoryNearLimit, onlyInformsOfMemoryThatLastsForDays)
{
    const Memory slow{.gibibytesAStep = 1e-8, .allocations = {}};
    const auto finding = found(reportOf(slow));
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->severity, Severity::Info);
    EXPECT_GT(figure(*finding, "hours_until_full"), 24);
    EXPECT_EQ(found(reportOf(slow, {{"memory_near_limit.hours", 1e6}}))->severity, Severity::Warning);
}

TEST(MemoryNearLimit, isSilentWhereMemoryStaysAsItIs)
{
    EXPECT_FALSE(found(reportOf({})));
}

TEST(MemoryNearLimit, aTrainingThatARefusedAllocationEndsComesFirst)
{
    const report::Report report = reportOf(
        {.gibibytesAStep = 0.25, .allocations = {{43, 0}, {44, 2}}, .from = 4.5 * kGibibyte, .freed = true});
    const auto finding = found(report);
    ASSERT_TRUE(finding);
    EXPECT_EQ(report.findings.front().rule, "memory_near_limit");
    EXPECT_EQ(finding->severity, Severity::Problem);
    EXPECT_EQ(report.verdict.limitedBy, Limit::Memory);
    EXPECT_NE(said(finding->title).find("1 allocation failed, after which training stopped"),
              std::string::npos)
        << said(finding->title);
    EXPECT_EQ(said(finding->title).find("is full after"), std::string::npos) << said(finding->title);
    EXPECT_EQ(figure(*finding, "growth"), 0.25 * kGibibyte);
    EXPECT_EQ(figure(*finding, "steps_until_full"), -1);
}

TEST(MemoryNearLimit, anAllocatorThatRetriesContinues)
{
    for (const std::vector<Call>& calls :
         {std::vector<Call>{{44, 2}, {44, 0}}, std::vector<Call>{{20, 2}, {30, 2}}}) {
        const auto finding = found(reportOf({.allocations = calls}));
        ASSERT_TRUE(finding);
        EXPECT_EQ(finding->severity, Severity::Warning);
        EXPECT_FALSE(finding->broken);
        EXPECT_EQ(finding->ranks, (std::vector<std::int64_t>{1}));
    }
}

/// ncclSystemError is 2 as well, and the host may have no more memory to pin.
TEST(MemoryNearLimit, onlyRefusesWhatTheDeviceWasAskedFor)
{
    for (const char* const other : {"ncclCommInitRank", "ncclCommAbort", "cudaHostAlloc", "cudaMallocHost",
                                    "cudaHostRegister", "cuMemAllocHost_v2"}) {
        EXPECT_FALSE(found(reportOf({.allocations = {{20, 2, other}, {44, 2, other}}}))) << other;
    }
    for (const char* const asked : {"cudaMallocAsync", "cuMemAlloc_v2", "cuMemCreate"}) {
        EXPECT_TRUE(found(reportOf({.allocations = {{44, 2, asked}}}))) << asked;
    }
}

TEST(MemoryNearLimit, reportsHowLongItLastsAfterARetryOfTheAllocator)
{
    const auto finding = found(reportOf({.gibibytesAStep = 0.125, .allocations = {{20, 2}, {20, 0}}}));
    ASSERT_TRUE(finding);
    EXPECT_FALSE(finding->broken);
    EXPECT_NEAR(figure(*finding, "steps_until_full"), (16 - 4 - 44 * 0.125) / 0.125, 5);
    EXPECT_NE(said(finding->title).find("1 allocation failed; what is in use grows by 12"), std::string::npos)
        << said(finding->title);
    EXPECT_NE(said(finding->title).find("is full after"), std::string::npos) << said(finding->title);
}

/// What an allocator of the process holds is not what is used of the device: it may be full of other things.
TEST(MemoryNearLimit, doesNotJudgeByWhatAnAllocatorHolds)
{
    TrainingRun run;
    run.edit = [](TraceBuilder& trace) {
        for (const trace::StepRow& step : std::vector(trace.process(1).steps)) {
            trace.sample(1, trace::seriesRow(trace::SeriesName::AllocatorReserved, 0, "gpu0"), step.startNs,
                         16LL << 30U);
        }
    };
    const report::Report report = report::buildReport(simulate(run), {});
    EXPECT_FALSE(found(report));
    EXPECT_TRUE(std::ranges::any_of(report.notApplicable,
                                    [](const auto& each) { return each.rule == "memory_near_limit"; }));
}

} // namespace
} // namespace ringside::rules
