// SPDX-License-Identifier: Apache-2.0
// A run held against its own best: what a busy host does to messages is no fault of a link.
#include "report/report.h"
#include "support/said.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <random>

namespace ringside::rules {
namespace {

using namespace test;

/// What is done to a transfer that would take so long alone.
using Disturbed = std::function<nanoseconds(std::int64_t step, nanoseconds alone)>;

trace::RunTrace runOfSizes(const std::vector<std::uint64_t>& sizes, const Disturbed& disturbed)
{
    constexpr double kBytesNs = 2; // GB/s
    TraceBuilder trace(4);
    trace.steps(60, [&](StepBuilder& step) {
        for (const std::uint64_t bytes : sizes) {
            step.everyRank().compute(3ms);
            const nanoseconds alone(50'000 +
                                    static_cast<std::int64_t>(static_cast<double>(bytes) / kBytesNs));
            step.allReduce(bytes, {.takes = disturbed(step.number(), alone)});
        }
    });
    return trace.run();
}

std::vector<std::string> slowCollectives(const std::vector<std::uint64_t>& sizes, const Disturbed& disturbed)
{
    std::vector<std::string> titles;
    for (const Finding& finding : report::buildReport(runOfSizes(sizes, disturbed), {}).findings) {
        if (finding.rule == "collective_bandwidth_low") {
            titles.push_back(said(finding.title));
        }
    }
    return titles;
}

const std::vector<std::uint64_t> kSizes{1_MiB, 2_MiB, 4_MiB, 12_MiB};

/// The link is three times as fast in every fourth step.
nanoseconds sharedLink(std::int64_t step, nanoseconds alone)
{
    return step % 4 == 0 ? alone : 3 * alone;
}

TEST(CollectiveBandwidthLow, isALinkThatOthersUseMostOfTheTime)
{
    EXPECT_EQ(slowCollectives(kSizes, sharedLink).size(), kSizes.size());
    EXPECT_EQ(slowCollectives({4_MiB, 25_MiB}, sharedLink).size(), 2U);
}

TEST(CollectiveBandwidthLow, isNotADelayThatEveryMessageHas)
{
    const auto late = [](std::int64_t step, nanoseconds alone) {
        return step % 4 == 0 ? alone : alone + 8ms;
    };
    EXPECT_EQ(slowCollectives(kSizes, late), std::vector<std::string>());
}

/// Threads of a busy host run late by times of which a few are long; each message meets it by itself.
TEST(CollectiveBandwidthLow, isNotWhatABusyHostDoes)
{
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        std::mt19937_64 random(seed);
        std::lognormal_distribution<double> late(std::log(4e6), 1.0);
        const auto busy = [&](std::int64_t, nanoseconds alone) {
            return alone + nanoseconds(static_cast<std::int64_t>(late(random)));
        };
        EXPECT_EQ(slowCollectives(kSizes, busy), std::vector<std::string>()) << seed;
    }
}

/// Of messages of one size nobody can tell whether bytes or delays cost their time.
TEST(CollectiveBandwidthLow, takesMessagesOfSeveralSizes)
{
    EXPECT_EQ(slowCollectives({4_MiB}, sharedLink), std::vector<std::string>());
    EXPECT_EQ(slowCollectives({4_MiB, 5_MiB}, sharedLink), std::vector<std::string>());
}

TEST(CollectiveBandwidthLow, seesASlowLinkOnABusyHost)
{
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> late(std::log(2e5), 1.0);
    const auto both = [&](std::int64_t step, nanoseconds alone) {
        return sharedLink(step, alone) + nanoseconds(static_cast<std::int64_t>(late(random)));
    };
    EXPECT_FALSE(slowCollectives(kSizes, both).empty());
}

} // namespace
} // namespace ringside::rules
