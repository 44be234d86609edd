// SPDX-License-Identifier: Apache-2.0
// Which finding the verdict names: a cause before the symptom that it explains, even if removing the cause
// would save less than that.
#include "report/report.h"
#include "support/late_rank_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringside::report {
namespace {

rules::Finding& findingOf(Report& report, std::string_view rule)
{
    return *std::ranges::find(report.findings, rule, &rules::Finding::rule);
}

/// A symptom that costs 100 times what a replay without the late rank saves, and what the others lost by it.
rules::Limit limitWith(double lostNs)
{
    Report report = buildReport(test::lateRankTrace(4, 20).run(), {});
    constexpr std::int64_t kCostNs = 20'000;
    findingOf(report, "exposed_communication").costNsPerStep = 100 * kCostNs;
    rules::Finding& late = findingOf(report, "late_rank");
    late.costNsPerStep = kCostNs;
    std::ranges::find(late.figures, "lost_ns", &rules::Figure::name)->value = lostNs;
    return computeVerdict(report).limitedBy;
}

TEST(VerdictOrder, PutsTheCauseBeforeTheSymptomThatItExplains)
{
    EXPECT_EQ(limitWith(1'800'000), rules::Limit::LateRank);
    EXPECT_EQ(limitWith(100'000), rules::Limit::Communication) << "it explains a twentieth of the loss";
}

} // namespace
} // namespace ringside::report
