// SPDX-License-Identifier: Apache-2.0
// The charts of the HTML report: each rank has a row of its own while there are few, and none is left out
// when they share rows.
#include "document/html_charts.h"
#include "report/document.h"
#include "support/trace_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using namespace test;
using testing::HasSubstr;

/// The last rank computes for 2 ms more than the others, and they wait for it.
Report reportOf(int ranks)
{
    TraceBuilder trace(ranks);
    trace.steps(6, [ranks](StepBuilder& step) {
        step.everyRank().compute(2ms);
        step.rank(ranks - 1).compute(2ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return buildReport(trace.run(), {});
}

std::size_t countOf(std::string_view text, std::string_view part)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

TEST(HtmlCharts, GiveEachOfAFewRanksABar)
{
    const document::BarChart chart = breakdownChart(reportOf(4));
    const std::string bars = barsSvg(chart);
    EXPECT_EQ(countOf(bars, "<title>"), 4 * 5U); // five parts of a step
    EXPECT_THAT(bars, HasSubstr("<title>rank 3: compute"));
    EXPECT_EQ(sharedRowsText(chart), "");
}

TEST(HtmlCharts, LetManyRanksShareBars)
{
    const Report report = reportOf(130);
    const document::BarChart chart = breakdownChart(report);
    const std::string bars = barsSvg(chart);
    EXPECT_EQ(countOf(bars, "<title>"), 64 * 5U);
    EXPECT_THAT(bars, HasSubstr("<title>ranks 0 to 1: compute"));
    EXPECT_THAT(bars, HasSubstr("<title>ranks 127 to 129: compute")); // the last three share a bar
    EXPECT_THAT(sharedRowsText(chart), HasSubstr("130 ranks share 64 rows"));
    const auto map = heatMap(report);
    ASSERT_TRUE(map);
    EXPECT_THAT(heatSvg(*map), HasSubstr("#fee838")); // the late rank is the brightest of its row's
}

} // namespace
} // namespace ringside::report
