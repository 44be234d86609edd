// SPDX-License-Identifier: Apache-2.0
// Which rank computes longest is counted where that costs something.
#include "metrics/changing_compute.h"
#include "metrics/compute_metrics.h"
#include "model/build_model.h"
#include "report/report.h"
#include "support/said.h"
#include "support/trace_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::metrics {
namespace {

using namespace test;

/// Rank 2 computes twice as long in three of 20 steps; elsewhere a few us make another rank the longest.
trace::RunTrace longInThreeSteps()
{
    TraceBuilder trace(4);
    int number = 0;
    trace.steps(20, [&](StepBuilder& step) {
        step.everyRank().compute(8ms);
        step.rank(number % 4).compute(5us);
        if (number == 5 || number == 11 || number == 12) {
            step.rank(2).compute(8ms);
        }
        ++number;
        step.allReduce(4_MiB, {.takes = 500us});
    });
    return trace.run();
}

TEST(ChangingCompute, CountsTheStepsThatCost)
{
    const model::Model model = model::buildModel(longInThreeSteps());
    const ChangingCompute found = changingComputeOf(model, computeMetrics(model));
    EXPECT_EQ(found.costlySteps, 3U);
    EXPECT_THAT(found.longestIn, testing::ElementsAre(std::pair(2, 3U)));
}

TEST(ChangingCompute, ARankThatIsLongestWheneverItCostsDoesNotChange)
{
    const auto report = report::buildReport(longInThreeSteps(), {});
    for (const rules::Finding& finding : report.findings) {
        EXPECT_THAT(said(finding.title), testing::Not(testing::HasSubstr("changes from step to step")));
    }
    EXPECT_TRUE(std::ranges::any_of(report.findings, [](const rules::Finding& finding) {
        return said(finding.title).find("Rank 2 computes longer than the others in 3 of") !=
               std::string::npos;
    }));
}

} // namespace
} // namespace ringside::metrics
