// SPDX-License-Identifier: Apache-2.0
// Calls that are reported by NCCL's ranges, in a real recording and its trace. A process records once, so
// everything happens before the first test.
#include "nvtx/nccl_calls.h"
#include "record/level.h"
#include "support/temporary_directory.h"

#include <ringside/trace/reader.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

namespace ringside::collector {

// Instead of the device tier and of CUDA.
std::atomic<bool> g_deviceTierOn{true};
namespace {
std::vector<std::uint64_t> g_pushed;
std::size_t g_popped = 0;
int g_device = 0;
} // namespace
void pushCorrelation(std::uint64_t id)
{
    g_pushed.push_back(id);
}
void popCorrelation()
{
    ++g_popped;
}
int currentDevice()
{
    return g_device;
}

namespace {

constexpr std::uint64_t kWorld = 0xABCDEF0123456789;
constexpr std::uint64_t kTwoRanks = 0x77;
constexpr std::uint64_t kUnreported = 0x78;

void call(ThreadState& thread, std::uint64_t hash, std::uint64_t bytes)
{
    ForeignCall reduce;
    reduce.api = registry().intern("ncclAllReduce");
    reduce.communicator = nvtx::communicatorOf(hash);
    reduce.count = bytes;
    reduce.reduction = 0;
    EXPECT_TRUE(nvtx::beginCall(thread, reduce));
    EXPECT_EQ(t_thread.depth, 1) << "what NCCL calls now is not the program's doing";
    EXPECT_FALSE(nvtx::beginCall(thread, reduce)) << "NCCL calls itself";
}

void wholeCall(ThreadState& thread, std::uint64_t hash, std::uint64_t bytes)
{
    call(thread, hash, bytes);
    nvtx::endCall(thread);
    EXPECT_EQ(t_thread.depth, 0);
}

void group(ThreadState& thread)
{
    nvtx::enterGroup(thread);
    nvtx::enterGroup(thread);
    wholeCall(thread, kWorld, 8);
    wholeCall(thread, kWorld, 16);
    for (int depth = 0; depth < 2; ++depth) {
        EXPECT_TRUE(nvtx::beginGroupEnd(thread));
        nvtx::endGroupEnd(thread);
    }
}

// As where the plugin tells of the calls inside.
void emptyGroup(ThreadState& thread)
{
    nvtx::enterGroup(thread);
    EXPECT_FALSE(nvtx::beginGroupEnd(thread));
    EXPECT_EQ(thread.groupDepth, 0);
}

void twoRanksOfOneCommunicator(ThreadState& thread)
{
    nvtx::noteCommunicator({.ncclHash = kTwoRanks, .size = 2, .rank = 0, .device = 4});
    nvtx::noteCommunicator({.ncclHash = kTwoRanks, .size = 2, .rank = 1, .device = 5});
    g_device = 5;
    wholeCall(thread, kTwoRanks, 32);
    g_device = 4;
    wholeCall(thread, kTwoRanks, 64);
    g_device = 6;
    EXPECT_EQ(nvtx::communicatorOf(kTwoRanks), nullptr) << "nobody said which";
    nvtx::noteSeveralRanks(kUnreported);
    EXPECT_EQ(nvtx::communicatorOf(kUnreported), nullptr);
}

// Only the second one began while recording was on.
void acrossThePausesBorders(ThreadState& thread)
{
    g_gate.setLevel(Level::Paused);
    call(thread, kWorld, 3);
    g_gate.setLevel(Level::Light);
    nvtx::endCall(thread);
    call(thread, kWorld, 5);
    g_gate.setLevel(Level::Paused);
    nvtx::endCall(thread);
    nvtx::enterGroup(thread);
    g_gate.setLevel(Level::Light);
    wholeCall(thread, kWorld, 6);
    EXPECT_TRUE(nvtx::beginGroupEnd(thread));
    nvtx::endGroupEnd(thread);
}

void tellEverything()
{
    ThreadState& thread = *recordingThread();
    wholeCall(thread, kWorld, 4096); // before anything is known of the communicator
    nvtx::noteCommunicator({.ncclHash = kWorld, .size = 2, .rank = 1, .device = 0});
    group(thread);
    emptyGroup(thread);
    twoRanksOfOneCommunicator(thread);
    wholeCall(thread, 0, 1); // of no communicator
    g_gate.setLevel(Level::Paused);
    wholeCall(thread, kWorld, 2);
    g_gate.setLevel(Level::Light);
    acrossThePausesBorders(thread);
    std::thread([] { nvtx::noteCommunicator({.ncclHash = kWorld, .size = 2, .rank = 1}); }).join();
    call(thread, kWorld, 12); // and never returns
}

trace::ProcessTrace record()
{
    const ringside::test::TemporaryDirectory directory;
    setenv("RINGSIDE_DIR", directory.path().c_str(), 1);
    tellEverything();
    closeSession();
    return trace::openRun(directory.path()).processes.at(0);
}

struct NvtxCallsTest : testing::Test {
    static const trace::ProcessTrace& trace()
    {
        static const trace::ProcessTrace recorded = record();
        return recorded;
    }
    static const trace::CommunicatorRow& communicator(std::uint64_t hash, std::int64_t rank)
    {
        for (const auto& row : trace().communicators) {
            if (row.ncclHash == hash && row.rank == rank) {
                return row;
            }
        }
        throw std::runtime_error("no such communicator");
    }
};

TEST_F(NvtxCallsTest, reportsTheBytesAndNothingUnknown)
{
    const trace::CollectiveCallRow& call = trace().collectiveCalls.at(0);
    EXPECT_EQ(trace().text(call.api), "ncclAllReduce");
    EXPECT_EQ(call.bytes, 4096U);
    EXPECT_EQ(call.count, std::nullopt);
    EXPECT_EQ(call.datatype, std::nullopt);
    EXPECT_EQ(call.result, std::nullopt);
    EXPECT_EQ(call.peer, std::nullopt);
    EXPECT_EQ(call.reduction, 0);
    EXPECT_EQ(call.sequence, 0);
}

TEST_F(NvtxCallsTest, callsOfAGroupNameIt)
{
    ASSERT_EQ(trace().groups.size(), 1U);
    EXPECT_EQ(trace().groups[0].calls, 2);
    EXPECT_EQ(trace().groups[0].result, std::nullopt);
    EXPECT_LE(trace().groups[0].startNs, trace().groups[0].launchStartNs);
    EXPECT_EQ(trace().collectiveCalls.at(1).groupId, trace().groups[0].id);
    EXPECT_EQ(trace().collectiveCalls.at(2).groupId, trace().groups[0].id);
    EXPECT_EQ(trace().collectiveCalls.at(2).sequence, 2);
}

TEST_F(NvtxCallsTest, whatIsLearntOfACommunicatorIsWrittenAgain)
{
    EXPECT_EQ(trace().communicators.size(), 3U);
    const trace::CommunicatorRow& world = communicator(kWorld, 1);
    EXPECT_EQ(world.size, 2);
    EXPECT_NE(world.hash, 0U);
    EXPECT_EQ(world.handle, 0U);
    EXPECT_EQ(trace().collectiveCalls.at(0).communicator, world.id);
    EXPECT_LE(world.createdNs, trace().collectiveCalls.at(0).startNs);
}

TEST_F(NvtxCallsTest, ranksOfOneProcessAreDistinguishedByTheirDevice)
{
    EXPECT_EQ(trace().collectiveCalls.at(3).communicator, communicator(kTwoRanks, 1).id);
    EXPECT_EQ(trace().collectiveCalls.at(4).communicator, communicator(kTwoRanks, 0).id);
    EXPECT_EQ(trace().collectiveCalls.at(5).communicator, 0);
}

TEST_F(NvtxCallsTest, deviceWorkIsTiedToTheCallOrItsGroup)
{
    trace();
    const std::vector<std::uint64_t> expected = {1, 2, 6, 7, 8, 9, 10, 11, 12, 14};
    EXPECT_EQ(g_pushed, expected);
    EXPECT_EQ(g_popped, expected.size() - 1) << "the last one never returned";
    EXPECT_EQ(trace().groups.at(0).id, 2);
}

TEST_F(NvtxCallsTest, aPauseLeavesNoRowButCounts)
{
    ASSERT_EQ(trace().collectiveCalls.size(), 7U);
    EXPECT_EQ(trace().collectiveCalls[6].bytes, 5U) << "what began before the pause is recorded";
    EXPECT_EQ(trace().collectiveCalls[6].sequence, 5);
    ASSERT_EQ(trace().inFlight.size(), 1U);
    EXPECT_EQ(trace().inFlight[0].sequence, 7);
    EXPECT_EQ(trace().inFlight[0].bytes, 12U);
    EXPECT_EQ(trace().inFlight[0].count, std::nullopt);
    EXPECT_EQ(trace().inFlight[0].communicator, communicator(kWorld, 1).id);
}

} // namespace
} // namespace ringside::collector
