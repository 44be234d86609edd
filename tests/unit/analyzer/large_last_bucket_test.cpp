// SPDX-License-Identifier: Apache-2.0
// Rule large_last_bucket: a last message that the network waited for, and one that it was merely behind with.
#include "golden/training_run.h"
#include "report/report.h"
#include "support/said.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringside::rules {
namespace {

using namespace test;

std::optional<Finding> largeLast(const TrainingRun& run)
{
    const report::Report report = report::buildReport(simulate(run), {});
    const auto found = std::ranges::find(report.findings, "large_last_bucket", &Finding::rule);
    return found == report.findings.end() ? std::nullopt : std::optional(*found);
}

TrainingRun twoMessages(std::vector<std::uint64_t> bytes, double bytesPerNs)
{
    TrainingRun run;
    run.buckets = std::move(bytes);
    run.bytesPerNs = bytesPerNs;
    return run;
}

TEST(LargeLastBucket, isOneThatTheNetworkWaitedFor)
{
    const auto found = largeLast(twoMessages({4U << 20U, 16U << 20U}, 4));
    ASSERT_TRUE(found);
    EXPECT_GT(*found->costNsPerStep, kMillisecond);
    EXPECT_NE(said(found->title).find("gradient message 2 of 2"), std::string::npos) << said(found->title);
}

TEST(LargeLastBucket, isNotOneThatASlowNetworkIsBehindWith)
{
    EXPECT_FALSE(largeLast(twoMessages({16U << 20U, 16U << 20U}, 0.5)));
}

TEST(LargeLastBucket, isNotOneThatAnIdealSizeWouldHardlyShorten)
{
    EXPECT_FALSE(largeLast(twoMessages({1U << 20U, 5U << 18U}, 0.4)));
}

TEST(LargeLastBucket, costsNoMoreThanTheNetworkWaited)
{
    // The first message fills all but a little of the time until backward is over.
    const TrainingRun run = twoMessages({8U << 20U, 32U << 20U}, 1.2);
    const auto found = largeLast(run);
    ASSERT_TRUE(found);
    const auto idle = std::ranges::find(found->figures, "idle_network_before_ns", &Figure::name);
    ASSERT_NE(idle, found->figures.end());
    EXPECT_LE(*found->costNsPerStep, static_cast<std::int64_t>(idle->value) + 1);
}

} // namespace
} // namespace ringside::rules
