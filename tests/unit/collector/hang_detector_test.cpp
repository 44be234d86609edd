// SPDX-License-Identifier: Apache-2.0
// When a process counts as hanging, with a time of the test's own.
#include "api/functions.h"
#include "record/hang_detector.h"
#include "record/options.h"
#include "support/durations.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

using namespace ringside::collector;
using Change = HangDetector::Change;

using ringside::test::kSecond;
constexpr std::int64_t kTimeout = 300 * kSecond;

ThreadActivity inCall(std::uint32_t ring, Api api, std::int64_t sinceSeconds)
{
    return {ring, 4000 + ring, stringIdOf(api), static_cast<std::uint64_t>(sinceSeconds) + 1,
            sinceSeconds * kSecond};
}

ThreadActivity computing(std::uint32_t ring)
{
    return {ring, 4000 + ring, 0, 0, 0};
}

class HangDetectorTest : public testing::Test {
protected:
    Change look(std::int64_t seconds, std::optional<std::uint64_t> collectives,
                std::vector<ThreadActivity> threads)
    {
        return m_detector.look({seconds * kSecond, collectives, std::move(threads)});
    }
    /// A collective every so many seconds; the time of the last one.
    std::int64_t train(std::int64_t seconds, int times, std::int64_t every)
    {
        for (int time = 0; time < times; ++time, seconds += every) {
            EXPECT_NE(look(seconds, ++m_issued, {computing(1)}), Change::Began);
        }
        return seconds - every;
    }
    [[nodiscard]] const Hang& hang() const { return m_detector.hang(); }
    [[nodiscard]] std::optional<std::int64_t> quietSinceNs() const { return m_detector.quietSinceNs(); }
    std::uint64_t m_issued = 7;

private:
    HangDetector m_detector{kTimeout};
};

TEST_F(HangDetectorTest, aCallThatDoesNotReturnIsAHangOnce)
{
    const auto waits = inCall(1, Api::cudaStreamSynchronize, 10);
    EXPECT_EQ(look(309, 5, {waits}), Change::None);
    EXPECT_EQ(look(310, 5, {waits}), Change::Began);
    EXPECT_EQ(hang().sinceNs, 10 * kSecond);
    EXPECT_EQ(hang().reason, "thread 4001 has been in cudaStreamSynchronize for 300 s");
    EXPECT_EQ(look(311, 5, {waits}), Change::None);
    EXPECT_EQ(look(5000, 5, {waits}), Change::None);
}

TEST_F(HangDetectorTest, reportsSinceWhenThereWasNoCollective)
{
    look(5, std::nullopt, {});
    EXPECT_EQ(quietSinceNs(), std::nullopt) << "no communicator";
    look(6, 0, {});
    EXPECT_EQ(quietSinceNs(), std::nullopt) << "none was issued ever";
    look(7, 3, {});
    look(900, 3, {});
    EXPECT_EQ(quietSinceNs(), 7 * kSecond);
    look(901, 4, {});
    EXPECT_EQ(quietSinceNs(), 901 * kSecond);
}

TEST_F(HangDetectorTest, endsWhenTheCallReturnsAndMayHangAgain)
{
    EXPECT_EQ(look(300, 5, {inCall(1, Api::cudaStreamSynchronize, 0)}), Change::Began);
    EXPECT_EQ(look(301, 5, {computing(1)}), Change::Ended);
    EXPECT_EQ(look(302, 5, {inCall(1, Api::cudaStreamSynchronize, 302)}), Change::None);
    EXPECT_EQ(look(601, 6, {inCall(1, Api::cudaStreamSynchronize, 302)}), Change::None);
    EXPECT_EQ(look(602, 6, {inCall(1, Api::cudaStreamSynchronize, 302)}), Change::Began);
}

TEST_F(HangDetectorTest, aCallRightAfterTheOneThatHungIsAnother)
{
    EXPECT_EQ(look(300, 5, {inCall(1, Api::cudaStreamSynchronize, 0)}), Change::Began);
    EXPECT_EQ(look(301, 5, {inCall(1, Api::cudaStreamSynchronize, 300)}), Change::Ended);
}

TEST_F(HangDetectorTest, regularCollectivesThatStopAreAHangWithTheCallsOfThreads)
{
    const std::int64_t last = train(100, 200, 1);
    EXPECT_EQ(look(last + 300, m_issued, {computing(1)}), Change::None) << "a checkpoint may take that long";
    EXPECT_EQ(look(last + 599, m_issued, {computing(1), inCall(2, Api::cudaEventSynchronize, last + 590)}),
              Change::None);
    EXPECT_EQ(look(last + 600, m_issued, {computing(1), inCall(2, Api::cudaEventSynchronize, last + 590)}),
              Change::Began);
    EXPECT_EQ(hang().sinceNs, last * kSecond);
    EXPECT_EQ(hang().reason,
              "no collective issued for 600 s, before that one every 1.0 s or sooner; thread 4001 "
              "is in no intercepted call, thread 4002 is in cudaEventSynchronize");
    EXPECT_EQ(look(last + 900, m_issued, {computing(1)}), Change::None);
    EXPECT_EQ(look(last + 901, ++m_issued, {computing(1)}), Change::Ended);
    EXPECT_EQ(look(last + 1600, m_issued, {computing(1)}), Change::None) << "no rhythm yet";
    const std::int64_t again = train(last + 1601, 200, 1);
    EXPECT_EQ(look(again + 1801, m_issued, {computing(1)}), Change::None) << "901 s and 700 s were no end";
    EXPECT_EQ(look(again + 1802, m_issued, {computing(1)}), Change::Began);
}

TEST_F(HangDetectorTest, ACheckpointThatWasSurvivedIsNoHangTheNextTime)
{
    std::int64_t last = train(100, 200, 1);
    const auto waits = [&](std::int64_t seconds) {
        return look(last + seconds, m_issued, {inCall(1, Api::cudaStreamSynchronize, last)});
    };
    EXPECT_EQ(waits(300), Change::Began) << "the first one of 400 s";
    EXPECT_EQ(look(last + 400, ++m_issued, {computing(1)}), Change::Ended);
    last = train(last + 401, 200, 1);
    EXPECT_EQ(waits(400), Change::None);
    EXPECT_EQ(waits(799), Change::None);
    EXPECT_EQ(waits(800), Change::Began) << "twice as long as any before";
}

TEST(Patience, knowsALongPauseUntilItIsRare)
{
    values::Patience patience;
    EXPECT_EQ(patience.of(9), 9);
    patience.survived(1000);
    EXPECT_EQ(patience.of(9), 2000);
    for (int i = 0; i < 9000; ++i) {
        patience.survived(10);
    }
    EXPECT_EQ(patience.of(9), 2000) << "a hundredth of the time and more";
    for (int i = 0; i < 1000; ++i) {
        patience.survived(10);
    }
    EXPECT_EQ(patience.of(9), 20);
}

TEST_F(HangDetectorTest, loadingAndCompilingBeforeAnyRhythmIsNoHang)
{
    EXPECT_EQ(look(1, 7, {computing(1)}), Change::None); // the launcher's first handshake
    EXPECT_EQ(look(2000, 8, {computing(1)}), Change::None);
    const std::int64_t broadcast = train(2001, 20, 1); // the model's parameters
    EXPECT_EQ(look(broadcast + 599, m_issued, {computing(1)}), Change::None);
}

TEST_F(HangDetectorTest, aJobThatStopsBeforeItIsRegularIsReportedEventually)
{
    EXPECT_EQ(look(1, 7, {computing(1)}), Change::None);
    EXPECT_EQ(look(1200, 7, {computing(1)}), Change::None);
    EXPECT_EQ(look(1201, 7, {computing(1)}), Change::Began);
    EXPECT_EQ(hang().reason, "no collective issued for 1200 s; thread 4001 is in no intercepted call");
}

// The driver compiles kernels, and a single program may compute for long: nobody waits for another.
TEST_F(HangDetectorTest, aLongCallOfCudaBeforeAnyCollectiveIsNoHang)
{
    EXPECT_EQ(look(400, 0, {inCall(1, Api::cudaLaunchKernel, 0)}), Change::None);
    EXPECT_EQ(look(400, std::nullopt, {inCall(1, Api::cudaStreamSynchronize, 0)}), Change::None);
    EXPECT_EQ(look(400, std::nullopt, {inCall(1, Api::ncclCommInitRank, 0)}), Change::Began);
}

TEST_F(HangDetectorTest, aProcessThatNeverIssuedACollectiveOnlyComputes)
{
    EXPECT_EQ(look(1, std::nullopt, {computing(1)}), Change::None);
    EXPECT_EQ(look(1000, 0, {computing(1)}), Change::None);
    EXPECT_EQ(look(9000, 0, {computing(1)}), Change::None);
}

TEST_F(HangDetectorTest, noCollectivesAreExpectedAfterTheLastCommunicator)
{
    EXPECT_EQ(look(1, 7, {computing(1)}), Change::None);
    EXPECT_EQ(look(100, std::nullopt, {computing(1)}), Change::None);
    EXPECT_EQ(look(9000, std::nullopt, {computing(1)}), Change::None);
}

TEST_F(HangDetectorTest, aThreadThatWaitsForEverIsReportedOnce)
{
    const auto waits = inCall(2, Api::cudaStreamSynchronize, 0);
    EXPECT_EQ(look(300, 1000, {computing(1), waits}), Change::Began);
    EXPECT_EQ(look(301, 1001, {computing(1), waits}), Change::Ended);
    EXPECT_EQ(look(302, 1002, {computing(1), waits}), Change::None);
    EXPECT_EQ(look(700, 2000, {inCall(1, Api::ncclAllReduce, 400), waits}), Change::Began);
    EXPECT_EQ(hang().reason, "thread 4001 has been in ncclAllReduce for 300 s");
}

TEST_F(HangDetectorTest, namesTheFirstFewThreadsOfMany)
{
    std::vector<ThreadActivity> threads;
    for (std::uint32_t ring = 1; ring <= 6; ++ring) {
        threads.push_back(computing(ring));
    }
    EXPECT_TRUE(describeThreads(threads).ends_with("(and 2 more threads)")) << describeThreads(threads);
    EXPECT_EQ(describeThreads({}), "no thread is recorded any more");
}

TEST(HangTimeout, isReadAsALengthOfTime)
{
    const auto timeoutOf = [](const char* text) {
        setenv("RINGSIDE_HANG_TIMEOUT", text, 1);
        return readOptions().hangTimeoutNs;
    };
    EXPECT_EQ(timeoutOf("5m"), 300 * kSecond);
    EXPECT_EQ(timeoutOf("1500ms"), 3 * kSecond / 2);
    EXPECT_EQ(timeoutOf("30s"), 30 * kSecond);
    EXPECT_EQ(timeoutOf("0"), 0);
    for (const char* const wrong :
         {"", "soon", "-5s", "5 s", "5d", "99999999999999999999", "9223372036h", "30"}) {
        EXPECT_EQ(timeoutOf(wrong), kTimeout) << wrong;
    }
    unsetenv("RINGSIDE_HANG_TIMEOUT");
}

} // namespace
