// SPDX-License-Identifier: Apache-2.0
// The level of this process: that it changes with the step, order or pause that brings the change, on that
// thread. Each test is a process of its own (the level is one a process).
#include "record/clock.h"
#include "record/levels.h"
#include "record/steps.h"
#include "registry_ring.h"
#include "support/durations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

using namespace ringside;
using namespace ringside::collector;

namespace {

using ringside::test::kSecond;

struct Levels : testing::Test, test::RegistryRing {
    void start(const Plan& plan) { startLevels(plan, readClockNs(CLOCK_MONOTONIC), *registry); }
    void step(int count = 1)
    {
        for (int i = 0; i < count; ++i) {
            noteStep(steps, kMarkedSteps);
        }
    }
    StepCounts steps{};
};

TEST_F(Levels, nothingChangesBeforeRecordingStarts)
{
    step(20);
    EXPECT_EQ(level(), Level::Light);
    EXPECT_FALSE(applyLevel());
}

TEST_F(Levels, theStepThatBeginsAWindowHasItsLevelAlready)
{
    start({Profile::Light, {.firstStep = 3, .steps = 2}});
    EXPECT_EQ(level(), Level::Paused);
    step(2);
    EXPECT_EQ(level(), Level::Paused);
    step();
    EXPECT_EQ(level(), Level::Light);
    step();
    EXPECT_EQ(level(), Level::Light);
    step();
    EXPECT_EQ(level(), Level::Paused);
}

TEST_F(Levels, everyChangeIsInTheRingBeforeTheStepGoesOn)
{
    start({Profile::Standard, {.firstStep = 2, .steps = 1}});
    ASSERT_EQ(windows().size(), 1U);
    step(2);
    ASSERT_EQ(windows().size(), 2U);
    step(2);
    const auto rows = windows();
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].level.text(), "light");
    EXPECT_EQ(rows[0].why, "outside of steps 2 to 2");
    EXPECT_EQ(rows[0].step, std::nullopt);
    EXPECT_EQ(rows[1].level.text(), "standard");
    EXPECT_EQ(rows[1].why, "steps 2 to 2");
    EXPECT_EQ(rows[1].step, 2);
    EXPECT_EQ(rows[1].startNs, rows[0].endNs);
    EXPECT_EQ(rows[2].level.text(), "light");
    EXPECT_EQ(rows[2].step, 3);
    EXPECT_EQ(rows[2].startNs, rows[1].endNs);
    EXPECT_EQ(rows[2].endNs, std::nullopt);
}

TEST_F(Levels, noWindowBeginsBeforeItsCallsAreRecorded)
{
    start({Profile::Light, {}});
    std::atomic<std::int64_t> lastPausedNs{0};
    std::atomic<bool> stop{false};
    std::thread calls([&] {
        while (!stop.load()) {
            const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
            if (isPaused()) {
                lastPausedNs.store(now);
            }
        }
    });
    std::vector<std::int64_t> pausedNs;
    for (int round = 0; round < 1000; ++round) {
        pauseByProgram(true);
        for (const std::int64_t before = lastPausedNs.load(); lastPausedNs.load() == before;) {
        }
        pauseByProgram(false);
        std::this_thread::sleep_for(std::chrono::microseconds(20)); // until it has stored what it saw
        pausedNs.push_back(lastPausedNs.load());
    }
    stop.store(true);
    calls.join();
    const auto rows = windows();
    ASSERT_EQ(rows.size(), 1 + 2 * pausedNs.size());
    for (std::size_t round = 0; round < pausedNs.size(); ++round) {
        EXPECT_GE(rows[2 * round + 2].startNs, pausedNs[round]);
    }
}

TEST_F(Levels, aReasonIsWholeInTheRing)
{
    for (const Plan& plan :
         {Plan{}, Plan{Profile::Deep, {.onNs = 1, .offNs = std::numeric_limits<std::int64_t>::max() / 2}},
          Plan{Profile::Light,
               {.firstStep = std::numeric_limits<std::int64_t>::max() / 2,
               .steps = std::numeric_limits<std::int64_t>::max() / 2}}}) {
        for (std::size_t reason = 0; reason < kReasons; ++reason) {
            EXPECT_LE(inWords(plan, static_cast<Reason>(reason)).size(), sizeof trace::WindowRecord::why)
                << inWords(plan, static_cast<Reason>(reason));
        }
    }
}

TEST_F(Levels, aChangeWithoutRoomInTheRingIsWrittenLater)
{
    start({Profile::Standard, {}});
    while (auto* record = ring.reserve<trace::ClockRecord>()) {
        *record = {};
        ring.commit(record, trace::RecordKind::Clock);
    }
    pauseByProgram(true);
    const std::int64_t pausedNs = readClockNs(CLOCK_MONOTONIC);
    EXPECT_EQ(level(), Level::Paused) << "the program does not wait for it";
    const std::uint64_t full = ring.header().head.load();
    ring.header().tail.store(full);
    EXPECT_FALSE(applyLevel()) << "it is what it was";
    const auto rows = windows(full);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].level.text(), "paused");
    EXPECT_EQ(rows[0].why, "the program called ringside_pause()");
    EXPECT_LE(rows[0].startNs, pausedNs);
}

TEST_F(Levels, anOrderHoldsFromItsStepOn)
{
    start({Profile::Standard, {}});
    step(5);
    order({Level::Paused, 8, 0});
    EXPECT_FALSE(isOrderInForce());
    step(2);
    EXPECT_EQ(level(), Level::Standard);
    step();
    EXPECT_EQ(level(), Level::Paused);
    EXPECT_TRUE(isOrderInForce());
    order({Level::Deep, 9, 0}); // the one in force stays until then
    EXPECT_EQ(level(), Level::Paused);
    step();
    EXPECT_EQ(level(), Level::Deep);
}

TEST_F(Levels, anOrderThatIsNotDueYetIsReplacedByTheNext)
{
    start({Profile::Standard, {}});
    order({Level::Paused, 3, 0});
    order({Level::Light, 5, 0});
    step(4);
    EXPECT_EQ(level(), Level::Standard);
    step();
    EXPECT_EQ(level(), Level::Light);
}

TEST_F(Levels, anOrderForAStepThatIsOverHoldsAtOnce)
{
    start({Profile::Standard, {}});
    step(5);
    order({Level::Light, 3, 0});
    EXPECT_TRUE(isOrderInForce());
    EXPECT_TRUE(applyLevel());
    EXPECT_EQ(level(), Level::Light);
}

TEST_F(Levels, anOrderByTimeIsTheNextTimedChange)
{
    start({Profile::Standard, {}});
    EXPECT_EQ(nextLevelChangeNs(), std::nullopt);
    const std::int64_t later = readClockNs(CLOCK_MONOTONIC) + 3600 * kSecond;
    order({Level::Light, 0, later});
    EXPECT_EQ(nextLevelChangeNs(), later);
    EXPECT_FALSE(applyLevel());
    order({Level::Light, 0, readClockNs(CLOCK_MONOTONIC)});
    EXPECT_TRUE(applyLevel());
    EXPECT_EQ(level(), Level::Light);
    EXPECT_EQ(nextLevelChangeNs(), std::nullopt);
}

TEST_F(Levels, aPauseOfTheProgramHoldsAtOnceAndUntilItResumes)
{
    start({Profile::Standard, {}});
    pauseByProgram(true);
    EXPECT_EQ(level(), Level::Paused);
    EXPECT_EQ(appliedLevel().reason, Reason::Program);
    step(10);
    EXPECT_EQ(level(), Level::Paused);
    pauseByProgram(false);
    EXPECT_EQ(level(), Level::Standard);
}

TEST_F(Levels, aPauseBeforeTheFirstCallIsNotForgotten)
{
    pauseByProgram(true);
    start({Profile::Standard, {}});
    EXPECT_EQ(level(), Level::Paused);
}

TEST_F(Levels, threadsThatChangeItAtOnceLeaveTheRightOne)
{
    start({Profile::Light, {.firstStep = 1, .steps = 1000}});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([i] {
            StepCounts own{};
            for (int step = 0; step < 1000; ++step) {
                noteStep(own, kMarkedSteps);
                if (i == 0) {
                    pauseByProgram(step % 2 == 0);
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(level(), Level::Light);
    StepCounts last{};
    for (int step = 0; step < 1001; ++step) {
        noteStep(last, kMarkedSteps);
    }
    EXPECT_EQ(level(), Level::Paused);
    const auto rows = windows();
    EXPECT_EQ(rows.back().level.text(), "paused");
    EXPECT_EQ(rows.back().step, 1001);
}

} // namespace
