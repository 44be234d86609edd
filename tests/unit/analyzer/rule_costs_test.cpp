// SPDX-License-Identifier: Apache-2.0
// What a rule's cost is a share of: the step that the report prints beside it.
#include "rules/shared/support.h"

#include <gtest/gtest.h>

namespace {

using namespace ringside;

metrics::RankMetrics rankOf(std::int64_t stepNs)
{
    metrics::RankMetrics rank;
    rank.windows = {{0, stepNs}};
    rank.steps = {{.stepNs = stepNs}};
    rank.total.stepNs = stepNs;
    rank.periods = 1;
    return rank;
}

TEST(RuleCosts, AreTheSameShareOfTheMeanStepAsOfTheRanksOwn)
{
    metrics::RunMetrics figures;
    figures.ranks = {rankOf(10'000'000), rankOf(20'000'000)};
    const rules::Rule rule{};
    const model::Model model;
    const rules::OptionValues options;
    const rules::Context context(rule, model, figures, options);
    EXPECT_EQ(rules::ofAStep(context, figures.ranks[1], 10'000'000), 7'500'000);
    EXPECT_DOUBLE_EQ(rules::shareOfStep(context, 7'500'000), figures.ranks[1].total.share(10'000'000));
}

} // namespace
