// SPDX-License-Identifier: Apache-2.0
// The job's side of live control, without a job: the reaction to the file in the run directory, and the
// answer. Each test is a separate process, because the level is global.
#include "record/clock.h"
#include "record/control_poll.h"
#include "record/levels.h"
#include "record/steps.h"
#include "registry_ring.h"
#include "support/durations.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <thread>

using namespace ringside;
using namespace ringside::collector;

namespace {

using ringside::test::kSecond;

struct ControlPollTest : testing::Test, test::RegistryRing {
    ControlPollTest()
    {
        names = {"host", "host-1", directory.path()};
        startLevels({Profile::Light, {}}, readClockNs(CLOCK_MONOTONIC), *registry);
    }
    const test::TemporaryDirectory directory;
    void order(std::uint64_t number, const std::string& level, std::uint64_t fromStep = 0)
    {
        const trace::ControlOrder given{number, level, fromStep, readClockNs(CLOCK_REALTIME)};
        ASSERT_TRUE(trace::writeControl(names.runDirectory + "/control",
                                        {number, trace::ControlVerb::Level, 1, given}));
    }
    void step(int count = 1)
    {
        for (int i = 0; i < count; ++i) {
            noteStep(steps, kMarkedSteps);
        }
    }
    [[nodiscard]] trace::ControlStatus status() const
    {
        return trace::readStatus(names.runDirectory + "/host-1.status").value_or(trace::ControlStatus{});
    }

    ProcessNames names;
    StepCounts steps{};
};

TEST_F(ControlPollTest, answersWithTheLevelThatItSwitchedTo)
{
    ControlPoll poll(names);
    poll.begin();
    order(5, "paused");
    poll.pass();
    EXPECT_EQ(level(), Level::Paused);
    EXPECT_EQ(status().inForce, 5U);
    EXPECT_EQ(status().level, "paused");
}

TEST_F(ControlPollTest, reportsFromWhichStepOnItFollowsTheOrder)
{
    ControlPoll poll(names);
    poll.begin();
    step(3);
    order(5, "paused", 6);
    poll.pass();
    EXPECT_EQ(status().inForce, 0U);
    step(3);
    poll.pass();
    EXPECT_EQ(status().inForce, 5U);
    EXPECT_EQ(status().sinceStep, 6U);
    order(6, "light", 4); // it came too late
    poll.pass();
    EXPECT_EQ(status().inForce, 6U);
    EXPECT_EQ(status().sinceStep, 6U) << "not from step 4 on";
    order(7, "paused"); // by time: nobody had counted steps
    poll.pass();
    EXPECT_EQ(status().sinceStep, 6U);
}

TEST_F(ControlPollTest, aProcessThatStartsLaterObeysTheLastOrderAtOnce)
{
    order(5, "paused", 1000);
    ControlPoll poll(names);
    poll.begin();
    EXPECT_EQ(level(), Level::Paused);
    step(2);
    EXPECT_EQ(level(), Level::Paused);
}

TEST_F(ControlPollTest, whatIsAskedInItsFirstMomentsIsAnswered)
{
    ControlPoll poll(names); // it announces itself now, and is waited for from now on
    ASSERT_TRUE(trace::writeControl(names.runDirectory + "/control", {5, trace::ControlVerb::Dump, 1, {}}));
    poll.begin();
    poll.pass();
    EXPECT_EQ(status().number, 5U);
    poll.tellDump("host-1.db");
    EXPECT_EQ(status().dump, "host-1.db");
}

TEST_F(ControlPollTest, anOrderGivenInItsFirstMomentsHoldsFromItsStepOn)
{
    ControlPoll poll(names);
    step();
    order(5, "paused", 3);
    poll.begin();
    poll.pass();
    EXPECT_EQ(level(), Level::Light);
    step(2);
    poll.pass();
    EXPECT_EQ(status().inForce, 5U);
    EXPECT_EQ(status().sinceStep, 3U);
}

TEST_F(ControlPollTest, aDumpThatOthersWereAskedForIsNotMade)
{
    ASSERT_TRUE(trace::writeControl(names.runDirectory + "/control", {5, trace::ControlVerb::Dump, 1, {}}));
    ControlPoll poll(names);
    poll.begin();
    poll.pass();
    poll.tellDump("for another reason");
    EXPECT_FALSE(std::filesystem::exists(names.runDirectory + "/host-1.status"));
}

TEST_F(ControlPollTest, aFileThatWasRemovedIsHeardAgain)
{
    ControlPoll poll(names);
    poll.begin();
    order(5, "paused");
    poll.pass();
    std::filesystem::remove(names.runDirectory + "/control");
    order(4, "light");
    poll.pass();
    EXPECT_EQ(level(), Level::Light);
    EXPECT_EQ(status().inForce, 4U);
}

TEST_F(ControlPollTest, whatASetUpTookIsNoStepsTime)
{
    ControlPoll poll(names);
    poll.begin();
    poll.pass();
    std::this_thread::sleep_for(std::chrono::milliseconds(1100)); // the program starts
    step();
    poll.pass();
    order(5, "light");
    poll.pass();
    EXPECT_EQ(status().stepNs, 0) << "not known yet";
    std::this_thread::sleep_for(std::chrono::milliseconds(1100)); // the first step goes on
    order(6, "light");
    poll.pass();
    EXPECT_GE(status().stepNs, kSecond) << "it takes at least so long";
}

} // namespace
