// SPDX-License-Identifier: Apache-2.0
// Which moments of two runs stand beside each other.
#include "compare/aligned_time.h"
#include "model/build_model.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::compare {
namespace {

using namespace std::chrono_literals;

model::Model runOf(std::chrono::nanoseconds compute, int steps)
{
    test::TraceBuilder trace(1);
    trace.steps(steps, [&](test::StepBuilder& step) { step.everyRank().compute(compute); });
    return model::buildModel(trace.run());
}

std::int64_t beginOf(const model::Model& model, std::size_t step)
{
    const model::Rank& rank = model.ranks.front();
    return rank.clock.toRun(rank.steps[step].device.value_or(rank.steps[step].host).start);
}

TEST(AlignedTime, StepsOfOneNumberStandBesideEachOther)
{
    const model::Model base = runOf(2ms, 8);
    const model::Model now = runOf(5ms, 8);
    const AlignedTime aligned(base, now);
    for (std::size_t step = 0; step < 8; ++step) {
        EXPECT_EQ(aligned.toNow(beginOf(base, step)), beginOf(now, step));
        EXPECT_EQ(aligned.toBase(beginOf(now, step)), beginOf(base, step));
    }
    const std::int64_t half = (beginOf(base, 3) + beginOf(base, 4)) / 2;
    EXPECT_NEAR(static_cast<double>(aligned.toNow(half)),
                static_cast<double>(beginOf(now, 3) + beginOf(now, 4)) / 2, 2);
}

TEST(AlignedTime, StretchesKeepTheirLength)
{
    const model::Model base = runOf(2ms, 8);
    const model::Model now = runOf(5ms, 8);
    const model::Interval time{beginOf(base, 2), beginOf(base, 2) + 1'000'000};
    const model::Interval other = AlignedTime(base, now).toNow(time);
    EXPECT_EQ(other.length(), time.length());
    EXPECT_LE(other.start, beginOf(now, 2) + 1'250'000);
    EXPECT_GE(other.end, beginOf(now, 2) + 1'250'000); // the middle is a quarter into the step
}

TEST(AlignedTime, OutsideOfCommonStepsTimeGoesOn)
{
    const model::Model base = runOf(2ms, 8);
    const model::Model now = runOf(2ms, 4);
    const AlignedTime aligned(base, now);
    EXPECT_EQ(aligned.toNow(beginOf(base, 7)) - beginOf(now, 3), beginOf(base, 7) - beginOf(base, 3));
    EXPECT_EQ(AlignedTime(base, model::Model()).toNow(17), 17);
    EXPECT_EQ(AlignedTime().toBase(-4), -4);
}

} // namespace
} // namespace ringside::compare
