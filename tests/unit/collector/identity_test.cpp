// SPDX-License-Identifier: Apache-2.0
#include "record/clock.h"
#include "record/identity.h"
#include "record/ranks.h"
#include "support/temporary_directory.h"

#include <ringside/trace/environment.h>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

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

TEST(Identity, redactsSecretsInsideOfValues)
{
    for (const char* const value :
         {"https://bucket.host/data?X-Amz-Signature=0123&X-Amz-Date=1", "s3://bucket/x?sig=ab%2F",
          "https://host/#access_token=abc", "tcp://host:1?password=word", "run with token=abc",
          "--api-key=abc", "--password abc", "password: abc", "AccountKey = abc;x", "\"secret\": \"abc\"",
          "Authorization: Basic abc", "bearer abc", "password:abc", "{\"token\":\"abc\"}", "passphrase=abc",
          "DB_PASS=abc", "-p pwd=abc"}) {
        EXPECT_EQ(ringside::trace::redacted("TORCH_ARGUMENTS", value), "(redacted)") << value;
    }
    for (const char* const value :
         {"https://host:8443/data/torch", "/opt/monkey:/usr/lib", "keyhost:29500", "max_split_size_mb:128",
          "init,env", "mlx5_0:1,mlx5_1:1", "=eth0", "token ring", "what is this?", "all keys", "compass:1",
          "bypass=1", "/data/basic set/x"}) {
        EXPECT_EQ(ringside::trace::redacted("TORCH_ARGUMENTS", value), value);
    }
}

TEST(Identity, redactsByNamesThatTellASecretOrHoldWhatAPersonWrote)
{
    for (const char* const name :
         {"TORCH_DB_PASS", "SLURM_PASS", "TORCH_USER_PWD", "TORCH_PASS_FILE", "torch_pass", "NCCL_PASSPHRASE",
          "SLURM_JOB_COMMENT", "SLURM_COMMENT", "SLURM_ADMIN_COMMENT"}) {
        EXPECT_EQ(ringside::trace::redacted(name, "summer"), "(redacted)") << name;
    }
    for (const char* const name : {"NCCL_BYPASS", "TORCH_COMPASS_X", "NCCL_PASSES"}) {
        EXPECT_EQ(ringside::trace::redacted(name, "1"), "1") << name;
    }
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

/// As programs load it that bring a runtime of their own: under another name, for themselves alone.
TEST(Identity, recognizesTheEmulatedPlatformHoweverItWasLoaded)
{
    const ringside::test::TemporaryDirectory directory;
    std::error_code missing;
    std::filesystem::copy_file(RINGSIDE_PLATFORM "/libcudart.so.13", directory / "renamed.so", missing);
    if (missing) {
        GTEST_SKIP() << "no emulated platform was built";
    }
    EXPECT_FALSE(describeProcess({"host", "host-1", "/"}, 0).emulated);
    void* const opened = dlopen((directory / "renamed.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(opened, nullptr) << dlerror();
    EXPECT_TRUE(describeProcess({"host", "host-1", "/"}, 0).emulated);
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
