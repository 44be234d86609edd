// SPDX-License-Identifier: Apache-2.0
// The device model's links: the transfer lasts as long as the model says, counted from the last rank's
// arrival, and the rank that waits shows the longer kernel, as on GPUs.
#include "platform.h"
#include "ranks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace ringside::test {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
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
        .apiBegin = [](std::uint32_t, std::uint32_t) {},
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

void checkBetween(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& what)
{
    check(value >= low && value <= high, what + ": " + std::to_string(value / 1000) + " us, expected " +
                                             std::to_string(low / 1000) + " to " +
                                             std::to_string(high / 1000));
}

TEST(LinkModel, countsTheTransferFromTheLastArrival)
{
    // 1 MB between two ranks: 1 MB on each link, so 100 ms, and two steps of 10 ms.
    const ModelFile model("link_bandwidth = 1e7\nlink_latency_ns = 1e7\n");
    runRanks(2, [](Rank& self) {
        recordTimes();
        std::vector<float> data(250'000, 1.0F);
        succeed(ncclAllReduce(data.data(), data.data(), 1, ncclFloat32, ncclSum, self.comm, self.stream),
                "warm-up");
        self.synchronise();
        if (self.rank == 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        succeed(ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat32, ncclSum, self.comm,
                              self.stream),
                "ncclAllReduce");
        self.synchronise();
        const std::int64_t duration = lastEndNs - lastStartNs;
        const std::int64_t waited = self.rank == 0 ? 200 * kMillisecond : 0;
        checkBetween(duration, waited + 119 * kMillisecond, waited + 200 * kMillisecond, "kernel's duration");
        std::array<std::int64_t, 2> ends{};
        const std::int64_t own = lastEndNs;
        succeed(ncclAllGather(&own, ends.data(), 1, ncclInt64, self.comm, self.stream), "ncclAllGather");
        self.synchronise();
        checkBetween(std::abs(ends[0] - ends[1]), 0, 30 * kMillisecond, "distance of the ranks' ends");
    });
}

} // namespace
} // namespace ringside::test
