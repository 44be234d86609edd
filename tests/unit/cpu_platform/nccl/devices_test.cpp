// SPDX-License-Identifier: Apache-2.0
// Several devices a process: ranks of one communicator on one thread, started, used and destroyed as
// single-process programs do it.
#include "platform.h"
#include "reference.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace ringside::test {
namespace {

constexpr std::size_t kElements = 10'001;

void useDevice(int device)
{
    check(cudaSetDevice(device) == cudaSuccess, "cudaSetDevice failed");
}

/// One rank on a device of this process.
struct Member {
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
    std::vector<float> in{};
    std::vector<float> out = std::vector<float>(kElements);
};

Member memberOn(int device, int rank)
{
    Member member{.in = inputs<float>(rank, kElements)};
    useDevice(device);
    check(cudaStreamCreate(&member.stream) == cudaSuccess, "cudaStreamCreate failed");
    return member;
}

/// Ranks from `first` on, on the devices from 0 on.
std::vector<Member> members(int first, int count)
{
    std::vector<Member> result;
    for (int device = 0; device < count; ++device)
        result.push_back(memberOn(device, first + device));
    return result;
}

void allReduceTogether(std::vector<Member>& all, int ranks)
{
    succeed(ncclGroupStart(), "ncclGroupStart");
    for (Member& member : all)
        succeed(ncclAllReduce(member.in.data(), member.out.data(), kElements, ncclFloat32, ncclSum,
                              member.comm, member.stream),
                "ncclAllReduce");
    succeed(ncclGroupEnd(), "ncclGroupEnd");
    for (Member& member : all) {
        check(cudaStreamSynchronize(member.stream) == cudaSuccess, "cudaStreamSynchronize failed");
        expectCombined(member.out, 0, ncclSum, ranks, "all-reduce");
    }
}

void destroyOneByOne(std::vector<Member>& all)
{
    for (Member& member : all)
        succeed(ncclCommDestroy(member.comm), "ncclCommDestroy");
}

TEST(Devices, ofOneProcessComeFromInitAll)
{
    for (const int devices : {1, 2, 3, 8})
        EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [devices](Rank&) {
            std::vector<Member> all = members(0, devices);
            std::vector<ncclComm_t> comms(all.size());
            useDevice(0);
            succeed(ncclCommInitAll(comms.data(), devices, nullptr), "ncclCommInitAll");
            int current = -1;
            check(cudaGetDevice(&current) == cudaSuccess && current == 0, "the device was changed");
            for (std::size_t i = 0; i < all.size(); ++i) {
                all[i].comm = comms[i];
                int device = -1;
                int rank = -1;
                succeed(ncclCommCuDevice(comms[i], &device), "ncclCommCuDevice");
                succeed(ncclCommUserRank(comms[i], &rank), "ncclCommUserRank");
                check(device == static_cast<int>(i) && rank == device, "a communicator on the wrong device");
            }
            allReduceTogether(all, devices);
            destroyOneByOne(all);
        })));
}

TEST(Devices, ofSeveralProcessesMeetInOneCommunicator)
{
    constexpr int kDevices = 3;
    EXPECT_TRUE(allEndedWell(startRanks(2, Communicator::None, [](Rank& self) {
        const int first = self.rank * kDevices;
        std::vector<Member> all = members(first, kDevices);
        succeed(ncclGroupStart(), "ncclGroupStart");
        for (int i = 0; i < kDevices; ++i) {
            useDevice(i);
            succeed(
                ncclCommInitRank(&all[static_cast<std::size_t>(i)].comm, 2 * kDevices, self.id, first + i),
                "ncclCommInitRank");
        }
        succeed(ncclGroupEnd(), "ncclGroupEnd");
        for (int round = 0; round < 20; ++round)
            allReduceTogether(all, 2 * kDevices);
        destroyOneByOne(all);
    })));
}

TEST(Devices, mayHaveAThreadEach)
{
    constexpr int kDevices = 4;
    EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [](Rank& self) {
        std::vector<std::thread> threads;
        std::mutex mutex;
        std::string trouble;
        for (int rank = 0; rank < kDevices; ++rank)
            threads.emplace_back([&, rank] {
                try {
                    std::vector<Member> own = {memberOn(rank, rank)};
                    succeed(ncclCommInitRank(&own.front().comm, kDevices, self.id, rank), "ncclCommInitRank");
                    allReduceTogether(own, kDevices);
                    destroyOneByOne(own);
                } catch (const std::exception& error) {
                    const std::lock_guard lock(mutex);
                    trouble = error.what();
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        check(trouble.empty(), trouble);
    })));
}

std::mutex seenMutex;
std::vector<std::uint32_t> seenDevices;

TEST(Devices, runTheirKernelsOnTheirOwnDefaultStream)
{
    EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [](Rank&) {
        static constexpr platform::ActivitySink kSink = {
            .work =
                [](const platform::WorkActivity& activity) {
                    const std::lock_guard lock(seenMutex);
                    seenDevices.push_back(activity.device);
                },
            .apiBegin = [](platform::ApiFunction, std::uint32_t) {},
            .apiEnd = [](const platform::ApiActivity&) {},
        };
        ringside_platform_set_sink(&kSink);
        std::vector<Member> all = members(0, 2);
        std::vector<ncclComm_t> comms(2);
        succeed(ncclCommInitAll(comms.data(), 2, nullptr), "ncclCommInitAll");
        for (std::size_t i = 0; i < 2; ++i)
            all[i] = {.comm = comms[i], .stream = nullptr, .in = all[i].in};
        useDevice(1); // whatever the thread's device is
        succeed(ncclGroupStart(), "ncclGroupStart");
        for (Member& member : all)
            succeed(ncclAllReduce(member.in.data(), member.out.data(), 1, ncclFloat32, ncclSum, member.comm,
                                  nullptr),
                    "ncclAllReduce");
        succeed(ncclGroupEnd(), "ncclGroupEnd");
        for (const int device : {0, 1}) {
            useDevice(device);
            check(cudaDeviceSynchronize() == cudaSuccess, "cudaDeviceSynchronize failed");
        }
        const std::lock_guard lock(seenMutex);
        std::ranges::sort(seenDevices);
        check(seenDevices == std::vector<std::uint32_t>{0, 1}, "the kernels did not run one on each device");
    })));
}

TEST(Devices, serveOneRankEach)
{
    EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [](Rank& self) {
        ncclComm_t comms[2] = {};
        const int twice[] = {1, 1};
        check(ncclCommInitAll(comms, 2, twice) == ncclInvalidUsage, "a device was accepted twice");
        const int unknown[] = {0, 99};
        check(ncclCommInitAll(comms, 2, unknown) == ncclInvalidArgument,
              "a device that is not there was accepted");
        ::setenv("RINGSIDE_NCCL_TIMEOUT_S", "0.5", 1); // the rank that did join waits in vain
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclCommInitRank(&comms[0], 2, self.id, 0), "ncclCommInitRank");
        succeed(ncclCommInitRank(&comms[1], 2, self.id, 1), "ncclCommInitRank");
        check(ncclGroupEnd() != ncclSuccess, "two ranks share a device");
        ncclResult_t states[2] = {};
        for (int i = 0; i < 2; ++i) {
            succeed(ncclCommGetAsyncError(comms[i], &states[i]), "ncclCommGetAsyncError");
            succeed(ncclCommAbort(comms[i]), "ncclCommAbort");
        }
        check(states[0] == ncclInvalidUsage || states[1] == ncclInvalidUsage, "no rank was told so");
    })));
}

} // namespace
} // namespace ringside::test
