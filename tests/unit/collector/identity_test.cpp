// SPDX-License-Identifier: Apache-2.0
#include "record/clock.h"
#include "record/identity.h"

#include <ringside/trace/environment.h>

#include <gtest/gtest.h>

#include <cstdlib>

using namespace ringside::collector;

TEST(Identity, storesOnlyListedVariables)
{
    EXPECT_TRUE(ringside::trace::isStoredVariable("NCCL_ALGO"));
    EXPECT_TRUE(ringside::trace::isStoredVariable("RANK"));
    EXPECT_TRUE(ringside::trace::isStoredVariable("SLURM_PROCID"));
    EXPECT_FALSE(ringside::trace::isStoredVariable("HOME"));
    EXPECT_FALSE(ringside::trace::isStoredVariable("AWS_SECRET_ACCESS_KEY"));
    EXPECT_FALSE(ringside::trace::isStoredVariable("MY_NCCL_ALGO"));
}

TEST(Identity, redactsWhatLooksLikeASecret)
{
    EXPECT_EQ(ringside::trace::redacted("NCCL_ALGO", "Ring"), "Ring");
    EXPECT_EQ(ringside::trace::redacted("SLURM_JWT", "abc"), "(redacted)");
    EXPECT_EQ(ringside::trace::redacted("TORCH_API_TOKEN", "abc"), "(redacted)");
    EXPECT_EQ(ringside::trace::redacted("TORCH_HUB", "hf_abcdef"), "(redacted)");
    EXPECT_EQ(ringside::trace::redacted("TORCH_PROXY", "http://user:word@host/"), "(redacted)");
    EXPECT_EQ(ringside::trace::redacted("TORCH_HOME", "/data/torch"), "/data/torch");
    EXPECT_EQ(ringside::trace::redacted("TORCH_HEADER", "Bearer eyJhbGciOiJIUzI1NiJ9.e30"), "(redacted)");
    EXPECT_EQ(ringside::trace::redacted("SLURM_COMMENT", "run --key=sk-0123456789abcdef"), "(redacted)");
    EXPECT_EQ(ringside::trace::redacted("LD_LIBRARY_PATH", "/usr/lib:/opt/sk-learn/lib"),
              "/usr/lib:/opt/sk-learn/lib");
    EXPECT_EQ(ringside::trace::redacted("MASTER_ADDR", "user:word@head-node"), "(redacted)");
    EXPECT_EQ(ringside::trace::redacted("SLURM_STEP_NODELIST", "node[1-4]@rack"), "node[1-4]@rack");
}

TEST(Identity, takesTheRankFromTheLauncher)
{
    unsetenv("RANK");
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("PMI_RANK");
    unsetenv("SLURM_PROCID");
    EXPECT_FALSE(rankFromEnvironment().has_value());
    setenv("SLURM_PROCID", "5", 1);
    setenv("SLURM_NTASKS", "8", 1);
    EXPECT_EQ(rankFromEnvironment()->rank, 5);
    EXPECT_EQ(rankFromEnvironment()->worldSize, 8);
    EXPECT_EQ(rankFromEnvironment()->source, "SLURM_PROCID");
    setenv("RANK", "3", 1);
    EXPECT_EQ(rankFromEnvironment()->rank, 3);
    setenv("RANK", "three", 1);
    EXPECT_EQ(rankFromEnvironment()->rank, 5);
    unsetenv("RANK");
    unsetenv("SLURM_PROCID");
    unsetenv("SLURM_NTASKS");
}

TEST(Clock, samplesAreOrderedAndAgreeWithEachOther)
{
    chooseClock();
    const ClockSample first = sampleClocks();
    const ClockSample second = sampleClocks();
    EXPECT_GT(second.ticks, first.ticks);
    EXPECT_GE(second.monotonicNs, first.monotonicNs);
    // Both clocks run at the same rate over so short a time: 1 ms would be a mistake in the bracket.
    const std::int64_t apart =
        (second.realtimeNs - first.realtimeNs) - (second.monotonicNs - first.monotonicNs);
    EXPECT_LT(std::abs(apart), 1'000'000);
}
