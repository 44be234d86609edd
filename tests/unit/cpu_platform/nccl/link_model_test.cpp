// SPDX-License-Identifier: Apache-2.0
// The links of the device model: a transfer takes the time of the model, counted from the last rank's
// arrival, and the waiting rank has the longer kernel, as on GPUs.
#include "platform.h"
#include "ranks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <utility>

namespace ringside::test {
namespace {

std::atomic<std::int64_t> lastStartNs;
std::atomic<std::int64_t> lastEndNs;

void recordTimes()
{
    static constexpr platform::ActivitySink kSink = {
        .work =
            [](const platform::WorkActivity& activity) {
                lastStartNs = activity.startNs;
                lastEndNs = activity.endNs;
            },
        .apiBegin = [](platform::ApiFunction, std::uint32_t) {},
        .apiEnd = [](const platform::ApiActivity&) {},
    };
    ringside_platform_set_sink(&kSink);
}

/// A model file that exists as long as the object, used by ranks started meanwhile.
class ModelFile final {
public:
    explicit ModelFile(const std::string& text)
        : m_path("/tmp/ringside_link_model." + std::to_string(::getpid()))
    {
        std::ofstream(m_path) << text;
        ::setenv("RINGSIDE_DEVICE_MODEL", m_path.c_str(), 1);
    }
    ~ModelFile()
    {
        ::unsetenv("RINGSIDE_DEVICE_MODEL");
        ::unlink(m_path.c_str());
    }
    ModelFile(const ModelFile&) = delete;
    ModelFile& operator=(const ModelFile&) = delete;

private:
    const std::string m_path;
};

/// Runs one collective that rank 1 joins late. Every rank's kernel must last from before the last arrival to
/// at least `modelled` after it.
void expectEndAfterLastArrival(Rank& self, std::chrono::nanoseconds modelled, const std::string& what,
                               const std::function<ncclResult_t()>& collective)
{
    // Each process reads the time of day through an offset of its own, right to some microseconds.
    constexpr std::int64_t kClockErrorNs = 500'000;
    self.meet();
    if (self.rank == 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    succeed(collective(), what);
    self.synchronise();
    const std::int64_t ownStart = lastStartNs;
    const std::int64_t ownEnd = lastEndNs;
    std::vector<std::int64_t> starts(static_cast<std::size_t>(self.size));
    succeed(ncclAllGather(&ownStart, starts.data(), 1, ncclInt64, self.comm, self.stream), "ncclAllGather");
    self.synchronise();
    const std::int64_t lastArrival = *std::max_element(starts.begin(), starts.end());
    check(ownEnd - lastArrival >= modelled.count() - kClockErrorNs,
          what + ": the kernel ended " + std::to_string((ownEnd - lastArrival) / 1000) +
              " us after the last arrival, not " + std::to_string(modelled.count() / 1000));
}

TEST(LinkModel, countsTheTransferFromTheLastArrival)
{
    // 1 MB between two ranks: 1 MB on each link, so 100 ms, and two steps of 10 ms.
    const ModelFile model("link_bandwidth = 1e7\nlink_latency_ns = 1e7\n");
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        recordTimes();
        std::vector<float> data(250'000, 1.0F);
        expectEndAfterLastArrival(self, std::chrono::milliseconds(120), "ncclAllReduce", [&] {
            return ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat32, ncclSum, self.comm,
                                 self.stream);
        });
    }));
}

TEST(LinkModel, sendsMoreOverATreeInFewerSteps)
{
    // 1 MB among four ranks: 2 MB a rank, so 200 ms, and two steps up and two down of 10 ms each.
    const ModelFile model("link_bandwidth = 1e7\nlink_latency_ns = 1e7\n");
    ::setenv("NCCL_ALGO", "allreduce:tree", 1);
    EXPECT_TRUE(ranksEndWell(4, [](Rank& self) {
        recordTimes();
        std::vector<float> data(250'000, 1.0F);
        expectEndAfterLastArrival(self, std::chrono::milliseconds(240), "ncclAllReduce", [&] {
            return ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat32, ncclSum, self.comm,
                                 self.stream);
        });
    }));
    ::unsetenv("NCCL_ALGO");
}

TEST(LinkModel, aSlowLinkHoldsUpRingsAndItsOwnTransfersOnly)
{
    // 1 kB/s between ranks 2 and 1: what wrongly went by it would not end within the test's time.
    const ModelFile model("slow_link_a = 2\nslow_link_b = 1\nslow_link_bandwidth = 1e3\n");
    EXPECT_TRUE(ranksEndWell(3, [](Rank& self) {
        recordTimes();
        std::vector<float> data(30, 1.0F); // 160 bytes on each link of the ring
        const auto allReduce = [&](ncclComm_t comm) {
            return ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat32, ncclSum, comm,
                                 self.stream);
        };
        expectEndAfterLastArrival(self, std::chrono::milliseconds(160), "ncclAllReduce",
                                  [&] { return allReduce(self.comm); });
        // Ranks keep their names in communicators split off: 120 bytes between 0 and 1 that are 2 and 1.
        ncclComm_t pair = nullptr;
        succeed(ncclCommSplit(self.comm, self.rank == 0 ? NCCL_SPLIT_NOCOLOR : 0, -self.rank, &pair, nullptr),
                "ncclCommSplit");
        if (pair != nullptr) {
            succeed(allReduce(pair), "ncclAllReduce of the pair");
            self.synchronise();
            check(lastEndNs - lastStartNs >= 120'000'000, "the pair's link is not slow");
            succeed(ncclCommDestroy(pair), "ncclCommDestroy");
        }
        std::vector<float> large(1'000'000, 1.0F);
        if (self.rank == 0)
            succeed(ncclSend(large.data(), large.size(), ncclFloat32, 2, self.comm, self.stream), "ncclSend");
        else if (self.rank == 2)
            succeed(ncclRecv(large.data(), large.size(), ncclFloat32, 0, self.comm, self.stream), "ncclRecv");
        self.synchronise();
    }));
}

TEST(LinkModel, doesNotHoldUpAborts)
{
    const ModelFile model("link_bandwidth = 1\n"); // 1000 s: longer than the test may last
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        std::vector<float> data(250, 1.0F);
        succeed(ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat32, ncclSum, self.comm,
                              self.stream),
                "ncclAllReduce");
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        succeed(ncclCommAbort(std::exchange(self.comm, nullptr)), "ncclCommAbort");
        self.synchronise();
    }));
}

TEST(LinkModel, endsNoKernelBeforeTheLastArrivalWithoutAModelEither)
{
    EXPECT_TRUE(ranksEndWell(4, [](Rank& self) {
        recordTimes();
        std::vector<float> in(1000, 1.0F);
        std::vector<float> out(4000);
        const auto expect = [&](const std::string& what, const std::function<ncclResult_t()>& collective) {
            expectEndAfterLastArrival(self, std::chrono::nanoseconds(0), what, collective);
        };
        expect("ncclAllReduce", [&] {
            return ncclAllReduce(in.data(), out.data(), 1000, ncclFloat32, ncclSum, self.comm, self.stream);
        });
        expect("ncclAllReduce of less than one element a rank", [&] {
            return ncclAllReduce(in.data(), out.data(), 1, ncclFloat32, ncclSum, self.comm, self.stream);
        });
        expect("ncclReduceScatter", [&] {
            return ncclReduceScatter(out.data(), in.data(), 1000, ncclFloat32, ncclSum, self.comm,
                                     self.stream);
        });
        expect("ncclAllGather", [&] {
            return ncclAllGather(in.data(), out.data(), 1000, ncclFloat32, self.comm, self.stream);
        });
        expect("ncclBroadcast", [&] {
            return ncclBroadcast(in.data(), in.data(), 1000, ncclFloat32, 2, self.comm, self.stream);
        });
        expect("ncclReduce", [&] {
            return ncclReduce(in.data(), out.data(), 1000, ncclFloat32, ncclSum, 2, self.comm, self.stream);
        });
    }));
}

} // namespace
} // namespace ringside::test
