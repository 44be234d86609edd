// SPDX-License-Identifier: Apache-2.0
// A communicator's life as programs may and may not lead it: non-blocking beginnings, aborts in the middle,
// finalization, handles used after their end, configurations, registrations.
#include "ranks.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <utility>

namespace ringside::test {
namespace {

ncclResult_t stateOf(ncclComm_t comm)
{
    ncclResult_t state = ncclSuccess;
    succeed(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError");
    return state;
}

ncclResult_t awaitEnd(ncclComm_t comm)
{
    while (stateOf(comm) == ncclInProgress)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return stateOf(comm);
}

ncclConfig_t nonBlocking()
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    return config;
}

TEST(NonBlocking, communicatorsAreInProgressUntilAllRanksAreThere)
{
    EXPECT_TRUE(allEndedWell(startRanks(2, Communicator::None, [](Rank& self) {
        ncclConfig_t config = nonBlocking();
        ncclComm_t comm = nullptr;
        int value = 1;
        if (self.rank == 1)
            self.meet(); // rank 0 has seen what it is without us
        check(ncclCommInitRankConfig(&comm, 2, self.id, self.rank, &config) == ncclInProgress, "it waited");
        if (self.rank == 0) {
            check(stateOf(comm) == ncclInProgress, "it is ready without its peer");
            check(ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, comm, self.stream) ==
                      ncclInvalidArgument,
                  "it was used before it was ready");
            check(ncclCommCount(comm, &value) == ncclInvalidArgument, "it knows its size already");
            self.meet();
        }
        check(awaitEnd(comm) == ncclSuccess, "it did not come about");
        const ncclResult_t result = ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, comm, self.stream);
        check(result == ncclSuccess || result == ncclInProgress, "ncclAllReduce");
        check(awaitEnd(comm) == ncclSuccess, "the launch failed");
        self.synchronise();
        check(value == 2, "the all-reduce is wrong");
        check(ncclCommFinalize(comm) == ncclInProgress, "finalization waited");
        check(awaitEnd(comm) == ncclSuccess, "finalization failed");
        succeed(ncclCommDestroy(comm), "ncclCommDestroy");
    })));
}

TEST(NonBlocking, groupsAreInProgressAtTheirEnd)
{
    EXPECT_TRUE(allEndedWell(startRanks(2, Communicator::None, [](Rank& self) {
        ncclConfig_t config = nonBlocking();
        ncclComm_t comm = nullptr;
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclCommInitRankConfig(&comm, 2, self.id, self.rank, &config), "the call in the group");
        check(ncclGroupEnd() == ncclInProgress, "the group's end waited");
        check(awaitEnd(comm) == ncclSuccess, "it did not come about");
        int value = 1;
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, comm, self.stream), "ncclAllReduce");
        check(ncclGroupEnd() == ncclInProgress, "the real library says so of operations, too");
        check(awaitEnd(comm) == ncclSuccess, "the launch failed");
        self.synchronise();
        check(value == 2, "the all-reduce is wrong");
        ncclComm_t child = nullptr;
        succeed(ncclCommSplit(comm, 0, 0, &child, nullptr), "a split's state is its parent's");
        check(awaitEnd(comm) == ncclSuccess && child != nullptr, "the split failed");
        succeed(ncclCommDestroy(child), "ncclCommDestroy");
        succeed(ncclCommDestroy(comm), "ncclCommDestroy");
    })));
}

TEST(NonBlocking, initialisationFailsWithItsReason)
{
    ::setenv("RINGSIDE_NCCL_TIMEOUT_S", "0.3", 1);
    EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [](Rank& self) {
        ncclConfig_t config = nonBlocking();
        ncclComm_t comm = nullptr;
        check(ncclCommInitRankConfig(&comm, 2, self.id, 0, &config) == ncclInProgress, "it waited");
        check(awaitEnd(comm) == ncclRemoteError, "it came about without its peer");
        int value = 1;
        check(ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, comm, self.stream) == ncclRemoteError,
              "it was used");
        succeed(ncclCommAbort(comm), "ncclCommAbort");
    })));
    ::unsetenv("RINGSIDE_NCCL_TIMEOUT_S");
}

TEST(Abort, endsAnInitialisationThatWaits)
{
    EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [](Rank& self) {
        ncclConfig_t config = nonBlocking();
        ncclComm_t comm = nullptr;
        check(ncclCommInitRankConfig(&comm, 2, self.id, 0, &config) == ncclInProgress, "it waited");
        succeed(ncclCommAbort(comm),
                "ncclCommAbort"); // and not after the minute that a rank waits for its peers
    })));
}

TEST(Abort, fromAnotherThreadEndsABlockingGroup)
{
    EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [](Rank& self) {
        ncclComm_t comm = nullptr;
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclCommInitRank(&comm, 2, self.id, 0), "ncclCommInitRank");
        std::thread watchdog([comm] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            succeed(ncclCommAbort(comm), "ncclCommAbort");
        });
        check(ncclGroupEnd() != ncclSuccess, "a group ended well without its peer");
        watchdog.join();
    })));
}

TEST(Groups, failWhereNoThreadCanBeStarted)
{
    EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [](Rank& self) {
        pthread_attr_t hugeStacks;
        check(::pthread_attr_init(&hugeStacks) == 0 &&
                  ::pthread_attr_setstacksize(&hugeStacks, std::size_t(1) << 46U) == 0 &&
                  ::pthread_setattr_default_np(&hugeStacks) == 0,
              "cannot ask for huge stacks");
        ncclComm_t comm = nullptr;
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclCommInitRank(&comm, 1, self.id, 0), "ncclCommInitRank");
        check(ncclGroupEnd() == ncclSystemError, "it came about without a thread");
        check(stateOf(comm) == ncclSystemError, "the communicator does not know");
        succeed(ncclCommDestroy(comm), "ncclCommDestroy"); // and does not wait for ever
    })));
}

TEST(Finalization, waitsForWorkAndHappensOnce)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        std::vector<float> data(500'000, 1.0F);
        succeed(ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat32, ncclSum, self.comm,
                              self.stream),
                "ncclAllReduce");
        succeed(ncclCommFinalize(self.comm), "ncclCommFinalize");
        check(data == std::vector<float>(data.size(), 2.0F), "the all-reduce was not waited for");
        check(ncclCommFinalize(self.comm) == ncclInvalidArgument, "it was finalized twice");
        succeed(ncclCommFinalize(nullptr), "ncclCommFinalize of nothing");
    }));
}

// The real library reads memory that is gone, and may crash: so does this one, always.
TEST(Handles, endTheProgramThatUsesThemAfterTheirEnd)
{
    using Use = void (*)(ncclComm_t);
    const Use uses[] = {[](ncclComm_t gone) { ncclCommDestroy(gone); },
                        [](ncclComm_t gone) {
                            int size = 0;
                            ncclCommCount(gone, &size);
                        }};
    for (const Use use : uses) {
        EXPECT_FALSE(ranksEndWell(1, [use](Rank& self) {
            const ncclComm_t gone = std::exchange(self.comm, nullptr);
            succeed(ncclCommDestroy(gone), "ncclCommDestroy");
            use(gone);
        }));
    }
    EXPECT_TRUE(
        ranksEndWell(1, [](Rank&) { succeed(ncclCommDestroy(nullptr), "ncclCommDestroy of nothing"); }));
}

void expectConfig(const ncclConfig_t& wanted, ncclResult_t expected, const std::string& what)
{
    ncclConfig_t config = wanted;
    ncclUniqueId id{};
    ncclComm_t comm = nullptr;
    succeed(ncclGetUniqueId(&id), "ncclGetUniqueId");
    check(ncclCommInitRankConfig(&comm, 1, id, 0, &config) == expected, what);
    if (expected == ncclSuccess)
        succeed(ncclCommDestroy(comm), "ncclCommDestroy");
}

TEST(Configurations, areChecked)
{
    EXPECT_TRUE(ranksEndWell(1, [](Rank&) {
        const ncclConfig_t plain = NCCL_CONFIG_INITIALIZER;
        expectConfig(plain, ncclSuccess, "the initializer's values were refused");
        ncclConfig_t config = plain;
        config.magic = 7;
        expectConfig(config, ncclInvalidArgument, "a wrong magic was accepted");
        config = plain;
        config.blocking = 2;
        expectConfig(config, ncclInvalidArgument, "blocking = 2 was accepted");
        config = plain;
        config.minCTAs = 8;
        config.maxCTAs = 4;
        expectConfig(config, ncclInvalidArgument, "minCTAs above maxCTAs was accepted");
        config = plain; // of a program built against 2.14: what came later is not there
        config.size = offsetof(ncclConfig_t, cgaClusterSize);
        config.version = NCCL_VERSION(2, 14, 3);
        config.splitShare = 77;
        expectConfig(config, ncclSuccess, "an older program's configuration was refused");
    }));
}

TEST(Registrations, areCheckedAndChangeNothing)
{
    EXPECT_TRUE(ranksEndWell(1, [](Rank& self) {
        void* memory = nullptr;
        succeed(ncclMemAlloc(&memory, 4096), "ncclMemAlloc");
        void* handle = nullptr;
        succeed(ncclCommRegister(self.comm, memory, 4096, &handle), "ncclCommRegister");
        check(handle != nullptr, "the handle is null");
        succeed(ncclCommDeregister(self.comm, handle), "ncclCommDeregister");
        check(ncclCommDeregister(self.comm, handle) == ncclInvalidUsage, "it was deregistered twice");
        auto* window = reinterpret_cast<ncclWindow_t>(memory); // must become null
        succeed(ncclCommWindowRegister(self.comm, memory, 4096, &window, NCCL_WIN_COLL_SYMMETRIC),
                "ncclCommWindowRegister");
        check(window == nullptr, "a window without symmetric memory");
        succeed(ncclCommWindowDeregister(self.comm, window), "ncclCommWindowDeregister");
        succeed(ncclMemFree(memory), "ncclMemFree");
        check(ncclMemAlloc(nullptr, 1) == ncclInvalidArgument, "no place for memory was accepted");
    }));
}

} // namespace
} // namespace ringside::test
