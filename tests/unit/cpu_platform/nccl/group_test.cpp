// SPDX-License-Identifier: Apache-2.0
// Group semantics: what is launched where, as how many kernels, and that grouped sends and receives cannot
// deadlock.
#include "platform.h"
#include "ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

namespace ringside::test {
namespace {

/// Names of the kernels this process ran. Never destroyed: stream threads write to it.
struct Kernels {
    std::mutex mutex;
    std::vector<std::string> names;
};
Kernels& kernels()
{
    static auto* const instance = new Kernels;
    return *instance;
}

void recordKernels()
{
    static constexpr platform::ActivitySink kSink = {
        .work =
            [](const platform::WorkActivity& activity) {
                const std::lock_guard lock(kernels().mutex);
                kernels().names.emplace_back(activity.name);
            },
        .apiBegin = [](platform::ApiFunction, std::uint32_t) {},
        .apiEnd = [](const platform::ApiActivity&) {},
    };
    ringside_platform_set_sink(&kSink);
}

std::vector<std::string> takeKernels()
{
    const std::lock_guard lock(kernels().mutex);
    return std::exchange(kernels().names, {});
}

TEST(Groups, sendRoundTheRingWithoutDeadlock)
{
    EXPECT_TRUE(ranksEndWell(4, [](Rank& self) {
        const int next = (self.rank + 1) % self.size;
        const int previous = (self.rank + self.size - 1) % self.size;
        for (const std::size_t count : {std::size_t(0), std::size_t(1), std::size_t(1'000'003)}) {
            const std::vector<int> out(count, self.rank);
            std::vector<int> in(count, -1);
            succeed(ncclGroupStart(), "ncclGroupStart");
            succeed(ncclSend(out.data(), count, ncclInt32, next, self.comm, self.stream), "ncclSend");
            succeed(ncclRecv(in.data(), count, ncclInt32, previous, self.comm, self.stream), "ncclRecv");
            succeed(ncclGroupEnd(), "ncclGroupEnd");
            self.synchronise();
            check(in == std::vector<int>(count, previous), "wrong data from the previous rank");
        }
    }));
}

TEST(Groups, exchangeAllToAllWithThemselvesIncluded)
{
    EXPECT_TRUE(ranksEndWell(3, [](Rank& self) {
        constexpr std::size_t kCount = 1000;
        const auto ranks = static_cast<std::size_t>(self.size);
        std::vector<int> out(kCount * ranks);
        std::iota(out.begin(), out.end(), self.rank * 100'000);
        std::vector<int> in(out.size(), -1);
        succeed(ncclGroupStart(), "ncclGroupStart");
        for (int peer = 0; peer < self.size; ++peer) {
            const std::size_t offset = kCount * static_cast<std::size_t>(peer);
            succeed(ncclSend(&out[offset], kCount, ncclInt32, peer, self.comm, self.stream), "ncclSend");
            succeed(ncclRecv(&in[offset], kCount, ncclInt32, peer, self.comm, self.stream), "ncclRecv");
        }
        succeed(ncclGroupEnd(), "ncclGroupEnd");
        self.synchronise();
        for (std::size_t i = 0; i < in.size(); ++i)
            check(in[i] == static_cast<int>(i / kCount) * 100'000 + self.rank * static_cast<int>(kCount) +
                               static_cast<int>(i % kCount),
                  "wrong value at " + std::to_string(i));
    }));
}

TEST(Groups, runAsOneKernel)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        recordKernels();
        std::vector<float> a(10, 1.0F);
        std::vector<float> b(20, 2.0F);
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclGroupStart(), "nested ncclGroupStart");
        succeed(ncclAllReduce(a.data(), a.data(), a.size(), ncclFloat32, ncclSum, self.comm, self.stream),
                "first");
        succeed(ncclGroupEnd(), "nested ncclGroupEnd");
        check(takeKernels().empty(), "the inner group's end launched something");
        succeed(ncclAllReduce(b.data(), b.data(), b.size(), ncclFloat32, ncclProd, self.comm, self.stream),
                "second");
        succeed(ncclGroupEnd(), "ncclGroupEnd");
        self.synchronise();
        const std::vector<std::string> names = takeKernels();
        check(names ==
                  std::vector<std::string>{"_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsSto"
                                           "rageILm4096EE"},
              "not one all-reduce kernel but " + std::to_string(names.size()));
        check(a == std::vector<float>(10, 2.0F) && b == std::vector<float>(20, 4.0F), "wrong values");
        std::vector<float> c(10, 1.0F);
        succeed(ncclAllReduce(a.data(), a.data(), a.size(), ncclFloat32, ncclSum, self.comm, self.stream),
                "third");
        succeed(ncclAllReduce(c.data(), c.data(), c.size(), ncclFloat32, ncclSum, self.comm, self.stream),
                "fourth");
        self.synchronise();
        check(takeKernels().size() == 2, "calls outside a group were fused");
    }));
}

TEST(Groups, onSeveralStreamsAreOneKernelWhichAllOfThemWaitFor)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        recordKernels();
        cudaStream_t other = nullptr;
        check(cudaStreamCreate(&other) == cudaSuccess, "cudaStreamCreate failed");
        float late = 0; // written on the other stream
        float sum = 0;  // of it, copied on the rank's own stream
        const auto write = [](void* value) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            *static_cast<float*>(value) = 1;
        };
        check(cudaLaunchHostFunc(other, write, &late) == cudaSuccess, "cudaLaunchHostFunc failed");
        float value = 1;
        // The ranks need not agree on the streams: one kernel is one kernel.
        const bool swapped = self.rank == 1;
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(
            ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, self.comm, swapped ? other : self.stream),
            "first");
        succeed(
            ncclAllReduce(&late, &late, 1, ncclFloat32, ncclSum, self.comm, swapped ? self.stream : other),
            "second");
        succeed(ncclGroupEnd(), "ncclGroupEnd");
        check(cudaMemcpyAsync(&sum, &late, sizeof sum, cudaMemcpyDefault, self.stream) == cudaSuccess,
              "cudaMemcpyAsync failed");
        self.synchronise();
        check(sum == 2 && value == 2, "the group did not wait for both streams, or they not for it");
        const std::vector<std::string> names = takeKernels();
        check(std::ranges::count_if(
                  names, [](const auto& name) { return name.find("ncclDevKernel") != std::string::npos; }) ==
                  1,
              "not one kernel");
    }));
}

TEST(Groups, refuseHalfATransferToThemselves)
{
    EXPECT_TRUE(ranksEndWell(1, [](Rank& self) {
        int value = 1;
        check(ncclSend(&value, 1, ncclInt32, 0, self.comm, self.stream) == ncclInvalidUsage,
              "a send that nobody receives was accepted");
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclRecv(&value, 1, ncclInt32, 0, self.comm, self.stream), "ncclRecv");
        check(ncclGroupEnd() == ncclInvalidUsage, "a receive that nobody sends was accepted");
        ncclResult_t state = ncclSuccess;
        succeed(ncclCommGetAsyncError(self.comm, &state), "ncclCommGetAsyncError");
        check(state == ncclSuccess, "the communicator is broken");
    }));
}

TEST(Groups, mixCollectivesWithSendsAndReceives)
{
    EXPECT_TRUE(ranksEndWell(3, [](Rank& self) {
        std::vector<float> sum(1000, static_cast<float>(self.rank));
        int token = 41;
        succeed(ncclGroupStart(), "ncclGroupStart");
        if (self.rank == 0)
            succeed(ncclSend(&token, 1, ncclInt32, 2, self.comm, self.stream), "ncclSend");
        if (self.rank == 2) {
            token = 0;
            succeed(ncclRecv(&token, 1, ncclInt32, 0, self.comm, self.stream), "ncclRecv");
        }
        succeed(
            ncclAllReduce(sum.data(), sum.data(), sum.size(), ncclFloat32, ncclSum, self.comm, self.stream),
            "ncclAllReduce");
        succeed(ncclGroupEnd(), "ncclGroupEnd");
        self.synchronise();
        check(token == 41, "the token did not arrive");
        check(sum == std::vector<float>(1000, 3.0F), "wrong sum");
    }));
}

TEST(Groups, launchNothingAfterAWrongCall)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        recordKernels();
        std::vector<float> data(10, 1.0F);
        check(ncclGroupEnd() == ncclInvalidUsage, "an end without a start was accepted");
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclAllReduce(data.data(), data.data(), 10, ncclFloat32, ncclSum, self.comm, self.stream),
                "good call");
        check(ncclBroadcast(data.data(), data.data(), 10, ncclFloat32, 9, self.comm, self.stream) ==
                  ncclInvalidArgument,
              "a root that does not exist was accepted");
        check(ncclGroupEnd() == ncclInvalidArgument, "the group's end hides the error");
        self.synchronise();
        check(takeKernels().empty(), "something was launched");
    }));
}

TEST(Groups, failWithAnyWrongCallAndLeaveTheCommunicatorUsable)
{
    EXPECT_TRUE(ranksEndWell(1, [](Rank& self) {
        ncclComm_t child = nullptr;
        const auto reduce = [&self](ncclComm_t comm) {
            static float value = 1.0F;
            return ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, comm, self.stream);
        };
        const auto expectFailure = [&](const std::string& what, const std::function<ncclResult_t()>& wrong) {
            recordKernels();
            succeed(ncclGroupStart(), "ncclGroupStart");
            succeed(reduce(self.comm), "good call");
            succeed(ncclCommSplit(self.comm, 0, 0, &child, nullptr), "ncclCommSplit");
            check(wrong() == ncclInvalidArgument, what + " was accepted");
            check(ncclGroupEnd() == ncclInvalidArgument, "the group's end hides " + what);
            self.synchronise();
            check(takeKernels().empty() && child == nullptr, "something was done in spite of " + what);
        };
        expectFailure("no communicator", [&] { return reduce(nullptr); });
        expectFailure("a split of no communicator",
                      [&] { return ncclCommSplit(nullptr, 0, 0, &child, nullptr); });
        expectFailure("rank 7 of 1", [&] { return ncclCommInitRank(&child, 1, self.id, 7); });
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        expectFailure("a mixture of blocking and non-blocking",
                      [&] { return ncclCommInitRankConfig(&child, 1, self.id, 0, &config); });
        succeed(reduce(self.comm), "ncclAllReduce after the failed groups");
        self.synchronise();
        check(takeKernels().size() == 1, "the communicator does not work any more");
    }));
}

} // namespace
} // namespace ringside::test
