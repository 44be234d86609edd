// SPDX-License-Identifier: Apache-2.0
// The verdict as an argument: its parts sum to the step, and the document shows the conditions that the code
// has.
#include "report/argument.h"
#include "report/confidence.h"
#include "support/late_rank_trace.h"
#include "support/said.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ringside::report {
namespace {

using namespace test;

Report reportOfLateRank()
{
    return buildReport(lateRankTrace(4, 20).run(), {});
}

std::string documentText()
{
    const std::ifstream file(RINGSIDE_SCHEMAS "/../docs/analysis.md");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(Argument, ItsConditionsStandInTheDocument)
{
    const std::string document = documentText();
    std::string rows;
    for (const Condition& each : confidenceConditions()) {
        rows += "| " + std::string(each.id) + " | " + said(*each.must) + " | " +
                std::string(confidenceName(each.atMost)) + " |\n";
    }
    EXPECT_NE(document.find("|---|---|---|\n" + rows + "\n"), std::string::npos)
        << "docs/analysis.md must have these rows, and no other:\n"
        << rows;
}

TEST(Argument, ItsPartsSumToTheStep)
{
    const Report report = reportOfLateRank();
    const Argument argument = argumentOf(report);
    ASSERT_EQ(argument.parts.size(), 5U);
    double share = 0;
    for (const LostPart& part : argument.parts) {
        share += part.share;
    }
    EXPECT_NEAR(share, 1.0, 1e-9);
    const auto late = std::ranges::find(argument.explanations, "late_rank",
                                        [](const Explanation& each) { return each.finding->rule; });
    ASSERT_NE(late, argument.explanations.end());
    EXPECT_EQ(late->of, LostPart::Kind::Waiting);
    EXPECT_EQ(late->share, 1) << "6 ms of a step, for which three of four ranks wait: 4.5 ms of the mean";
}

TEST(Argument, EveryBrokenConditionIsToldAndTheLowestDecides)
{
    Report report = reportOfLateRank();
    report.droppedRecords = 3;
    report.model.worldSize = 1000;
    const std::vector<Judged> judged = judgeConfidence(report, nullptr);
    const Judged* const limit = weakest(judged);
    ASSERT_NE(limit, nullptr);
    EXPECT_EQ(limit->condition->id, "half_of_ranks");
    EXPECT_EQ(said(*limit->broken), "device work was recorded on 4 of 1000 ranks");
    EXPECT_EQ(std::ranges::count_if(judged, [](const Judged& each) { return each.broken.has_value(); }), 3);
}

} // namespace
} // namespace ringside::report
