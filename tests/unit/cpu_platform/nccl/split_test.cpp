// SPDX-License-Identifier: Apache-2.0
// ncclCommSplit: ranks of the children, children that work beside their parent, and several ranks of one
// thread that split together in a group.
#include "reference.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

extern "C" void ncclResetDebugInitInternal(); // its public name is deprecated

namespace ringside::test {
namespace {

/// The sum of the world ranks of everybody in the communicator.
int sumOfRanks(const Rank& self, ncclComm_t comm)
{
    int value = self.rank;
    succeed(ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, comm, self.stream), "ncclAllReduce");
    self.synchronise();
    return value;
}

void expectPlace(ncclComm_t comm, int rank, int size)
{
    int value = -1;
    succeed(ncclCommUserRank(comm, &value), "ncclCommUserRank");
    check(value == rank, "the rank is " + std::to_string(value) + ", not " + std::to_string(rank));
    succeed(ncclCommCount(comm, &value), "ncclCommCount");
    check(value == size, "the size is " + std::to_string(value) + ", not " + std::to_string(size));
}

TEST(Split, makesOneCommunicatorAColorOrderedByKey)
{
    EXPECT_TRUE(ranksEndWell(5, [](Rank& self) { // colours 0: 0 2 4, 1: 1 3; the highest rank comes first
        ncclComm_t child = nullptr;
        succeed(ncclCommSplit(self.comm, self.rank % 2, -self.rank, &child, nullptr), "ncclCommSplit");
        const int size = self.rank % 2 == 0 ? 3 : 2;
        expectPlace(child, size - 1 - self.rank / 2, size);
        check(sumOfRanks(self, child) == (self.rank % 2 == 0 ? 6 : 4), "a child's all-reduce is wrong");
        check(sumOfRanks(self, self.comm) == 10, "the parent's all-reduce is wrong");
        ncclComm_t grandchild = nullptr; // equal keys: the order stays
        succeed(ncclCommSplit(child, 7, 0, &grandchild, nullptr), "second ncclCommSplit");
        expectPlace(grandchild, size - 1 - self.rank / 2, size);
        check(sumOfRanks(self, grandchild) == (self.rank % 2 == 0 ? 6 : 4), "a grandchild's is wrong");
        succeed(ncclCommDestroy(child), "ncclCommDestroy");
        check(sumOfRanks(self, grandchild) == (self.rank % 2 == 0 ? 6 : 4), "it died with its parent");
        succeed(ncclCommDestroy(grandchild), "ncclCommDestroy");
    }));
}

TEST(Split, leavesOutRanksWithoutColor)
{
    EXPECT_TRUE(ranksEndWell(3, [](Rank& self) {
        ncclComm_t child = self.comm; // must become null
        const int color = self.rank == 1 ? NCCL_SPLIT_NOCOLOR : 0;
        succeed(ncclCommSplit(self.comm, color, 0, &child, nullptr), "ncclCommSplit");
        if (self.rank == 1)
            return check(child == nullptr, "a rank without colour got a communicator");
        check(sumOfRanks(self, child) == 2, "the child's all-reduce is wrong");
        succeed(ncclCommDestroy(child), "ncclCommDestroy");
    }));
}

TEST(Split, isOrderedWithTheParentsCollectives)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        std::vector<float> data(300'000, 1.0F);
        succeed(ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat32, ncclSum, self.comm,
                              self.stream),
                "ncclAllReduce");
        ncclComm_t child = nullptr;
        succeed(ncclCommSplit(self.comm, 0, 0, &child, nullptr), "ncclCommSplit");
        self.synchronise();
        check(data == std::vector<float>(data.size(), 2.0F), "the all-reduce before the split is wrong");
        succeed(ncclCommDestroy(child), "ncclCommDestroy");
    }));
}

TEST(Split, worksForAllRanksOfAThreadInAGroup)
{
    constexpr int kDevices = 4;
    EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [](Rank&) {
        std::vector<ncclComm_t> comms(kDevices);
        std::vector<ncclComm_t> children(kDevices);
        succeed(ncclCommInitAll(comms.data(), kDevices, nullptr), "ncclCommInitAll");
        succeed(ncclGroupStart(), "ncclGroupStart");
        for (int i = 0; i < kDevices; ++i)
            succeed(ncclCommSplit(comms[static_cast<std::size_t>(i)], i / 2, i,
                                  &children[static_cast<std::size_t>(i)], nullptr),
                    "ncclCommSplit");
        succeed(ncclGroupEnd(), "ncclGroupEnd");
        for (int i = 0; i < kDevices; ++i)
            expectPlace(children[static_cast<std::size_t>(i)], i % 2, 2);
        for (std::vector<ncclComm_t>* all : {&children, &comms})
            for (const ncclComm_t comm : *all)
                succeed(ncclCommDestroy(comm), "ncclCommDestroy");
    })));
}

/// A pipe that nobody reads yet: a log into it blocks its writer.
class BlockedLog final {
public:
    BlockedLog() { check(::mkfifo(m_path.c_str(), 0600) == 0, "mkfifo failed"); }
    ~BlockedLog() { ::unlink(m_path.c_str()); }
    BlockedLog(const BlockedLog&) = delete;
    BlockedLog& operator=(const BlockedLog&) = delete;

    void use() const
    {
        ::setenv("NCCL_DEBUG", "INFO", 1);
        ::setenv("NCCL_DEBUG_FILE", m_path.c_str(), 1);
        ncclResetDebugInitInternal();
    }
    void release() const { check(::open(m_path.c_str(), O_RDONLY) >= 0, "cannot open the pipe"); }

private:
    const std::string m_path = "/tmp/ringside_blocked_log." + std::to_string(::getpid());
};

TEST(Split, writesNothingAfterItsParentsAbort)
{
    const BlockedLog log;
    EXPECT_TRUE(ranksEndWell(2, [&log](Rank& self) {
        ncclComm_t child = nullptr;
        const ncclComm_t parent = std::exchange(self.comm, nullptr);
        if (self.rank == 1) { // tells its colour, and is late for the child
            log.use();
            std::thread releaser([&] {
                self.meet();
                log.release();
            });
            static_cast<void>(ncclCommSplit(parent, 0, 0, &child, nullptr));
            releaser.join();
            self.meet();
            succeed(ncclCommAbort(child), "ncclCommAbort of the child");
            return succeed(ncclCommAbort(parent), "ncclCommAbort");
        }
        std::thread watchdog([parent] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            succeed(ncclCommAbort(parent), "ncclCommAbort");
        });
        check(ncclCommSplit(parent, 0, 0, &child, nullptr) != ncclSuccess, "it came about without its peer");
        watchdog.join();
        self.meet();
        self.meet(); // rank 1 has seen the child, so it exists here, too
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        check(child == nullptr, "the caller's variable was written after the call");
    }));
}

TEST(Split, mayHappenTwiceInAGroupBesideACollective)
{
    EXPECT_TRUE(ranksEndWell(4, [](Rank& self) { // rows and columns of a 2 x 2 grid
        ncclComm_t row = nullptr;
        ncclComm_t column = nullptr;
        int value = self.rank;
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclCommSplit(self.comm, self.rank / 2, self.rank, &row, nullptr), "first ncclCommSplit");
        succeed(ncclCommSplit(self.comm, self.rank % 2, self.rank, &column, nullptr), "second ncclCommSplit");
        succeed(ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, self.comm, self.stream),
                "ncclAllReduce");
        succeed(ncclGroupEnd(), "ncclGroupEnd");
        self.synchronise();
        check(value == 6, "the parent's all-reduce is wrong");
        check(sumOfRanks(self, row) == (self.rank < 2 ? 1 : 5), "a row's all-reduce is wrong");
        check(sumOfRanks(self, column) == (self.rank % 2 == 0 ? 2 : 4), "a column's all-reduce is wrong");
        succeed(ncclCommDestroy(row), "ncclCommDestroy");
        succeed(ncclCommDestroy(column), "ncclCommDestroy");
    }));
}

TEST(Split, refusesWhatDoesNotFit)
{
    EXPECT_TRUE(ranksEndWell(1, [](Rank& self) {
        ncclComm_t child = nullptr;
        check(ncclCommSplit(self.comm, -7, 0, &child, nullptr) == ncclInvalidArgument,
              "colour -7 was accepted");
        check(ncclCommSplit(self.comm, 0, 0, nullptr, nullptr) == ncclInvalidArgument,
              "no place was accepted");
        check(ncclCommSplit(nullptr, 0, 0, &child, nullptr) == ncclInvalidArgument, "no parent was accepted");
    }));
}

} // namespace
} // namespace ringside::test
