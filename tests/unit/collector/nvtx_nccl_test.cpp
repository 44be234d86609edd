// SPDX-License-Identifier: Apache-2.0
// NCCL's own ranges for calls without a wrapper: the program has NCCL linked in, or opens it itself. Uses the
// emulated NCCL, and the real one if the toolkit has it (it reports its ranges without a GPU).
#include "model/build_model.h"
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <gtest/gtest.h>
#include <model/model.h>

using ringside::test::RecordedRun;

namespace {

const std::string kCalls = "FROM collective_call c JOIN string s ON s.id = c.api_id ";

TEST(NvtxNccl, aLinkedInNcclStartsTheRecordingAndReportsItsCalls)
{
    const RecordedRun run({"recorded_linked"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text("SELECT group_concat(text || ' ' || bytes || ' ' || sequence, ', ') " + kCalls),
              "ncclAllReduce 4000 0, ncclAllReduce 8000 1, ncclAllReduce 12000 2, ncclAllReduce 16000 3, "
              "ncclAllReduce 20000 4");
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call WHERE count IS NULL AND datatype IS NULL AND "
                         "result IS NULL AND reduction = 0 AND peer IS NULL AND end_ns >= start_ns"),
              5);
    EXPECT_EQ(
        run.text("SELECT printf('%016x', nccl_hash) || ' ' || size || ' ' || rank || ' ' || device FROM "
                 "communicator JOIN collective_call ON communicator_id = communicator.id LIMIT 1"),
        "1234567890abcdef 8 3 0");
    EXPECT_EQ(
        run.text("SELECT n.text || ' in ' || d.text FROM user_range r JOIN string n ON n.id = r.name_id JOIN "
                 "string d ON d.id = r.domain_id"),
        "ncclCommInitRank in NCCL");
    EXPECT_EQ(run.text("SELECT rank || ' of ' || world_size FROM rank"), "3 of 8");
}

TEST(NvtxNccl, theRealNcclReportsTheSizeOfItsMessages)
{
    if (std::string_view(RINGSIDE_REAL_NCCL).empty()) {
        GTEST_SKIP() << "the build found no libnccl.so.2 of the CUDA toolkit";
    }
    const RecordedRun run({"recorded_nccl_dlopen", "lonely", RINGSIDE_REAL_NCCL});
    if (run.output.find("libcuda") != std::string::npos && run.waitStatus != 0) {
        GTEST_SKIP() << "it cannot be loaded here: " << run.output;
    }
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text("SELECT text || ' ' || bytes " + kCalls), "ncclAllReduce 4096");
    EXPECT_EQ(run.number("SELECT reduction FROM collective_call"), 0);
    EXPECT_EQ(
        run.text("SELECT n.text || ' in ' || d.text FROM user_range r JOIN string n ON n.id = r.name_id JOIN "
                 "string d ON d.id = r.domain_id WHERE n.text = 'ncclCommInitAll'"),
        "ncclCommInitAll in NCCL");
}

RecordedRun::Environment onPlatform(const std::string& plugin)
{
    return {"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_PROFILE=standard",
            "NCCL_PROFILER_PLUGIN=" + plugin};
}

// Two processes whose NCCL has no plugin, as one of before 2.26.
struct TwoRanks : testing::Test {
    const RecordedRun run{{"recorded_nccl_dlopen", "ranks", RINGSIDE_PLATFORM "/libnccl.so.2"},
                          RecordedRun::Collector::Preloaded,
                          onPlatform("none")};
};

TEST_F(TwoRanks, matchThoughNoWrapperSawTheirCalls)
{
    ASSERT_EQ(run.waitStatus, 0) << run.output;
    const auto model = ringside::model::buildModel(ringside::trace::openRun(run.directory()));
    ASSERT_EQ(model.ranks.size(), 2U);
    ASSERT_EQ(model.operations.size(), 4U) << "three calls, and a group of two";
    for (const auto& operation : model.operations) {
        EXPECT_TRUE(operation.complete());
        EXPECT_FALSE(operation.mismatched);
        EXPECT_EQ(operation.datatype, std::nullopt);
    }
    EXPECT_EQ(model.operations[0].bytes, 1024U);
    EXPECT_EQ(model.operations[3].calls, 2U);
    EXPECT_EQ(model.operations[3].bytes, 600U);
}

TEST_F(TwoRanks, kernelsAreTiedToTheirCalls)
{
    const auto model = ringside::model::buildModel(ringside::trace::openRun(run.directory()));
    ASSERT_EQ(model.operations.size(), 4U);
    for (const auto& operation : model.operations) {
        EXPECT_TRUE(operation.measured());
    }
}

TEST_F(TwoRanks, whatNcclCallsInsideIsNotTheProgramsDoing)
{
    const auto trace = ringside::trace::openRun(run.directory());
    for (const auto& process : trace.processes) {
        ASSERT_EQ(process.groups.size(), 1U);
        for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
            const std::string_view name = process.text(process.apiCalls.api[i]);
            const bool byTheProgram = process.apiCalls.thread[i] == process.groups[0].thread;
            EXPECT_TRUE(!byTheProgram || name == "cudaMalloc" || name == "cudaDeviceSynchronize") << name;
        }
        EXPECT_EQ(process.groups[0].calls, 2);
    }
}

TEST(NvtxNccl, callsThatThePluginReportsAreRecordedOnce)
{
    const RecordedRun run({"recorded_nccl_dlopen", "ranks", RINGSIDE_PLATFORM "/libnccl.so.2"},
                          RecordedRun::Collector::Preloaded, onPlatform(""));
    ASSERT_EQ(run.waitStatus, 0) << run.output;
    const auto trace = ringside::trace::openRun(run.directory());
    ASSERT_EQ(trace.processes.size(), 2U);
    for (const auto& process : trace.processes) {
        EXPECT_EQ(process.collectiveCalls.size(), 5U);
        EXPECT_EQ(process.communicators.size(), 1U);
        EXPECT_EQ(process.groups.size(), 1U);
        for (const auto& call : process.collectiveCalls) {
            EXPECT_EQ(call.datatype, 7);
            EXPECT_EQ(call.result, std::nullopt);
        }
    }
}

} // namespace
