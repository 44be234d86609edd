// SPDX-License-Identifier: Apache-2.0
// The watchdog inside a recorded program, which itself waits for what the watchdog does: no time is asserted
// but lower bounds.
#include "recorded_run.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

using ringside::test::RecordedRun;

namespace {

const RecordedRun::Environment kShort{"RINGSIDE_HANG_TIMEOUT=200ms"};

RecordedRun record(const std::string& scenario, const RecordedRun::Environment& environment = kShort)
{
    return RecordedRun({"recorded_program", scenario}, RecordedRun::Collector::Preloaded, environment);
}

TEST(Watchdog, writesWhatThreadsAreInAndThatTheyGoOn)
{
    const RecordedRun run = record("goes_on");
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT noticed_ns - since_ns >= 200000000 AND ended_ns > noticed_ns FROM hang "
                         "WHERE id = 1"),
              1);
    const std::string reason = run.text("SELECT reason FROM hang WHERE id = 1");
    EXPECT_NE(reason.find("has been in ncclAllReduce for "), std::string::npos) << reason;
    EXPECT_EQ(run.text("SELECT text || ' ' || count || ' ' || sequence FROM in_flight JOIN string ON "
                       "string.id = api_id WHERE hang_id = 1"),
              "ncclAllReduce 666 1");
    EXPECT_EQ(run.number("SELECT count(*) FROM in_flight"), 1);
    EXPECT_TRUE(run.filesEndingIn(".hang").empty());
}

TEST(Watchdog, whatItWroteSurvivesAKilledProcess)
{
    const RecordedRun run = record("dies_hanging");
    EXPECT_TRUE(WIFSIGNALED(run.waitStatus) && WTERMSIG(run.waitStatus) == SIGKILL);
    run.recover();
    EXPECT_EQ(run.number("SELECT count(*) FROM hang WHERE ended_ns IS NULL"), 1);
    EXPECT_EQ(run.number("SELECT count(*) FROM in_flight WHERE hang_id = 1"), 1);
    EXPECT_EQ(run.number("SELECT count(*) FROM in_flight WHERE hang_id IS NULL"), 1);
    ASSERT_EQ(run.filesEndingIn(".hang").size(), 1U);
    std::string line;
    std::getline(std::ifstream(run.filesEndingIn(".hang").front()) >> std::ws, line);
    EXPECT_EQ(line.find("ringside-hang\t1\t" + run.text("SELECT pid FROM process") + "\t"), 0U) << line;
    EXPECT_TRUE(run.filesEndingIn(".tmp").empty());
}

TEST(Watchdog, distinguishesAComputingHostFromAStuckCall)
{
    const RecordedRun run = record("computes");
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    const std::string reason = run.text("SELECT reason FROM hang WHERE id = 1");
    EXPECT_EQ(reason.find("no collective issued for "), 0U) << reason;
    EXPECT_NE(reason.find("is in no intercepted call"), std::string::npos) << reason;
    EXPECT_EQ(reason.find("thread 0 "), std::string::npos) << "a thread of ours: " << reason;
    EXPECT_EQ(run.number("SELECT ended_ns > noticed_ns FROM hang WHERE id = 1"), 1);
}

TEST(Watchdog, isOffAtZero)
{
    const RecordedRun run = record("hangs", {"RINGSIDE_HANG_TIMEOUT=0"});
    run.recover();
    EXPECT_EQ(run.number("SELECT count(*) FROM hang"), 0);
    EXPECT_EQ(run.number("SELECT count(*) FROM in_flight"), 1);
    EXPECT_TRUE(run.filesEndingIn(".hang").empty());
}

} // namespace
