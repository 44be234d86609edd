// SPDX-License-Identifier: Apache-2.0
// Throttling windows of the device model and the planted clock, as plain arithmetic: compiled with the model
// itself, so that no time of the machine is measured.
#include "clock.h"
#include "model.h"
#include "platform.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>

namespace {

using namespace ringside::platform;

DeviceModel model(const std::string& text)
{
    return {text, "test.conf", 1};
}

TEST(Throttle, isTheFactorOfItsWindow)
{
    const DeviceModel device = model("throttle = 1, 2.5, 4\nthrottle = 10,20,1.5\n");
    ASSERT_EQ(device.error(), "");
    EXPECT_EQ(device.throttleFactor(0.99), 1);
    EXPECT_EQ(device.throttleFactor(1), 4);
    EXPECT_EQ(device.throttleFactor(2.49), 4);
    EXPECT_EQ(device.throttleFactor(2.5), 1);
    EXPECT_EQ(device.throttleFactor(15), 1.5);
    EXPECT_EQ(device.throttleFactor(20), 1);
}

TEST(Throttle, stretchesWorkByThePartInsideTheWindow)
{
    const DeviceModel device = model("throttle = 1,3,4\nthrottle = 5,6,2");
    EXPECT_DOUBLE_EQ(device.throttled(0, 0.5), 0.5);    // done before it
    EXPECT_DOUBLE_EQ(device.throttled(1, 0.25), 1);     // all inside
    EXPECT_DOUBLE_EQ(device.throttled(0.5, 0.75), 1.5); // half a second before, a quarter inside
    EXPECT_DOUBLE_EQ(device.throttled(2.5, 1), 1.375);  // 0.125 of it inside, the rest after
    EXPECT_DOUBLE_EQ(device.throttled(3, 1), 1);        // between the windows
    EXPECT_DOUBLE_EQ(device.throttled(0, 4.5), 6.5);    // across both: 1 + 0.5 in 2 + 2 + 0.5 in 1 + 0.5
    EXPECT_DOUBLE_EQ(device.throttled(7, 2), 2);
}

TEST(Throttle, actsOnOperationsAndNotOnMemoryOrCopies)
{
    const DeviceModel device =
        model("flops = 1e9\nmemory_bandwidth = 1e9\npcie_bandwidth = 1e9\nthrottle = 0,1e6,3");
    Work work{.cost = {.flops = 1e6}, .arithmetic = true};
    EXPECT_EQ(device.durationNs(work, 0), 3'000'000);
    work.cost = {.memoryBytes = 1e6};
    EXPECT_EQ(device.durationNs(work, 0), 1'000'000);
    work = {.kind = WorkKind::Copy, .cost = {.copyBytes = 1e6}};
    EXPECT_EQ(device.durationNs(work, 0), 1'000'000);
}

TEST(Throttle, stretchesArithmeticIfTheModelHasNoTime)
{
    const DeviceModel device = model("throttle = 0,1e6,3");
    EXPECT_NEAR(static_cast<double>(device.durationNs(Work{.arithmetic = true}, 1000)), 3000, 1);
    EXPECT_EQ(device.durationNs(Work{}, 1000), 0); // a collective waits for its peers
}

TEST(Throttle, aBadWindowIsAnErrorWithItsPlace)
{
    for (const char* value :
         {"", "1", "1,2", "2,1,3", "1,2,0.5", "1,2,3,4", "-1,2,3", "1,2,nan", "1,2,3\nthrottle=1,4,2"}) {
        const std::string error = model(std::string("flops = 1\nthrottle = ") + value).error();
        EXPECT_NE(error.find("test.conf:"), std::string::npos) << value;
        EXPECT_NE(error.find("throttle needs"), std::string::npos) << value;
    }
}

std::int64_t hostNs(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// main() below plants an hour and 500 ppm. The platform's reading lies between two of the host's.
TEST(PlantedClock, isOffByItsOffsetAndByItsDriftSinceBoot)
{
    constexpr std::int64_t kHour = 3'600'000'000'000;
    constexpr double kDrift = 500e-6;
    constexpr std::int64_t kSlackNs = 1'000'000; // between two readings of different clocks
    const auto planted = [](std::int64_t monotonic) {
        return kHour + static_cast<std::int64_t>(kDrift * static_cast<double>(monotonic));
    };
    const std::int64_t earliest = hostNs(CLOCK_REALTIME) + planted(hostNs(CLOCK_MONOTONIC));
    const std::int64_t seen = ringside_platform_now_ns();
    const std::int64_t latest = hostNs(CLOCK_REALTIME) + planted(hostNs(CLOCK_MONOTONIC));
    EXPECT_GE(seen, earliest - kSlackNs);
    EXPECT_LE(seen, latest + kSlackNs);
}

TEST(PlantedClock, driftsBetweenTwoMoments)
{
    constexpr std::int64_t kSecond = 1'000'000'000;
    EXPECT_EQ(realtimeAt(5 * kSecond) - realtimeAt(4 * kSecond), kSecond + 500'000);
}

} // namespace

int main(int count, char** arguments)
{
    setenv("RINGSIDE_TEST_CLOCK_OFFSET_NS", "3600000000000", 1);
    setenv("RINGSIDE_TEST_CLOCK_DRIFT_PPM", "500", 1);
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
