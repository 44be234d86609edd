// SPDX-License-Identifier: Apache-2.0
// Findings made by hand: which of them is which one's reason, and what is read first.
#include "report/cost_attribution.h"

#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using rules::Finding;
using rules::Severity;

enum class Kind : std::uint8_t { Cause, Symptom };

Finding finding(std::string rule, Kind kind, std::int64_t cost, std::vector<std::string_view> partOf = {})
{
    Finding result;
    result.rule = std::move(rule);
    result.severity = Severity::Problem;
    result.cause = kind == Kind::Cause;
    result.costNsPerStep = cost;
    result.partOf = std::move(partOf);
    return result;
}

std::vector<std::string> orderOf(std::vector<Finding> findings)
{
    sortFindings(findings, holdersOf(findings));
    std::vector<std::string> rules;
    for (const Finding& each : findings) {
        rules.push_back(each.rule);
    }
    return rules;
}

using Names = std::vector<std::string>;

TEST(CostAttribution, theFirstHolderThatFiredAndCostsAsMuchHolds)
{
    const std::vector<Finding> findings{
        finding("part", Kind::Cause, 50, {"absent", "small", "large", "larger"}),
        finding("small", Kind::Symptom, 49), finding("large", Kind::Symptom, 50),
        finding("larger", Kind::Symptom, 90)};
    const HolderNames holders = holdersOf(findings);
    EXPECT_EQ(holders[0], (std::vector<std::string_view>{"large"}));
    EXPECT_TRUE(holders[1].empty());
}

TEST(CostAttribution, aReasonIsReadBeforeItsEffect)
{
    EXPECT_EQ(
        orderOf({finding("effect", Kind::Symptom, 100), finding("reason", Kind::Cause, 60, {"effect"})}),
        (Names{"reason", "effect"}));
    EXPECT_EQ(
        orderOf({finding("reason", Kind::Cause, 10, {"effect"}), finding("effect", Kind::Symptom, 100)}),
        (Names{"effect", "reason"}))
        << "which explains only a tenth of it";
    EXPECT_EQ(orderOf({finding("one", Kind::Cause, 10), finding("other", Kind::Cause, 20)}),
              (Names{"other", "one"}));
}

TEST(CostAttribution, whatIsBrokenComesFirst)
{
    Finding broken = finding("died", Kind::Cause, 0);
    broken.broken = true;
    broken.costNsPerStep.reset();
    EXPECT_EQ(orderOf({finding("costly", Kind::Cause, 1000), broken}), (Names{"died", "costly"}));
}

TEST(CostAttribution, aPartOnTheSameRanksCostsNoMoreThanItsHolder)
{
    std::vector<Finding> findings{finding("part", Kind::Cause, 80, {"whole"}),
                                  finding("whole", Kind::Symptom, 50)};
    clipToHolders(findings);
    EXPECT_EQ(findings[0].costNsPerStep, 80) << "of all ranks: nothing is known to be the same";
    findings[0].ranks = findings[1].ranks = {3};
    findings[1].severity = Severity::Warning;
    clipToHolders(findings);
    EXPECT_EQ(findings[0].costNsPerStep, 50);
    EXPECT_EQ(findings[0].severity, Severity::Warning);
}

TEST(CostAttribution, aSymptomRestatesItsBiggestCause)
{
    std::vector<Finding> findings{finding("effect", Kind::Symptom, 100),
                                  finding("minor", Kind::Cause, 20, {"effect"}),
                                  finding("major", Kind::Cause, 40, {"effect"})};
    findRestatements(findings, holdersOf(findings));
    EXPECT_EQ(findings[0].restates, "major");
    EXPECT_EQ(lossOf(findings, findings[0]).rule, "major");
    EXPECT_EQ(lossOf(findings, findings[1]).rule, "minor");

    findings = {finding("effect", Kind::Symptom, 100), finding("minor", Kind::Cause, 20, {"effect"})};
    findRestatements(findings, holdersOf(findings));
    EXPECT_EQ(findings[0].restates, "") << "a fifth of it explains little";
}

TEST(CostAttribution, aCircleOfRestatementsEnds)
{
    std::vector<Finding> findings{finding("one", Kind::Symptom, 1), finding("other", Kind::Symptom, 1)};
    findings[0].restates = "other";
    findings[1].restates = "one";
    const std::string end = lossOf(findings, findings[0]).rule;
    EXPECT_TRUE(end == "one" || end == "other");
}

} // namespace
} // namespace ringside::report
