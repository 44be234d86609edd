// SPDX-License-Identifier: Apache-2.0
// Where the database of a process is stored and moved: beside the run directory on network file systems, in
// memory as a flight recorder. The test simulates the type of file system.
#include "record/clock.h"
#include "record/trace_file.h"
#include "support/temporary_directory.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/recover.h>

#include <sqlite3.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

using namespace ringside;
using namespace ringside::collector;

namespace {

namespace fs = std::filesystem;

bool never(const std::string&)
{
    return false;
}

std::string g_network; // the one directory that is said to be on a network
bool thatOne(const std::string& directory)
{
    return directory == g_network;
}

struct TraceFileTest : testing::Test {
    TraceFileTest()
    {
        g_network = run;
        names = {"host", "host-1", run};
    }

    void fill(TraceFile& file) const
    {
        file.writer().setProcess({"host", "boot", 1, 0, std::nullopt, "train", "", false});
        file.writer().add(trace::StepRow{7, 1, 2, 1});
        file.writer().commit();
    }
    [[nodiscard]] std::vector<std::string> filesInRun() const
    {
        std::vector<std::string> result;
        for (const auto& entry : fs::directory_iterator(run)) {
            result.push_back(entry.path().filename());
        }
        std::sort(result.begin(), result.end());
        return result;
    }

    ringside::test::TemporaryDirectory temporary;
    fs::path run = temporary.path();
    ProcessNames names;
    Options options;
};

TEST_F(TraceFileTest, isInTheRunDirectoryAsARule)
{
    RingStore store(names, &never);
    TraceFile file(names, options, store);
    file.open();
    EXPECT_EQ(file.path(), names.database());
    fill(file);
    file.close(0);
    EXPECT_EQ(trace::readProcess(names.database()).steps.size(), 1U);
    EXPECT_EQ(file.dump("a test", {}).substr(0, 21), "not a flight recorder");
}

TEST_F(TraceFileTest, isMovedThereAtTheEndFromBesideANetworkFileSystem)
{
    RingStore store(names, &thatOne);
    TraceFile file(names, options, store);
    file.open();
    EXPECT_NE(fs::path(file.path()).parent_path(), run);
    EXPECT_EQ(fs::status(fs::path(file.path()).parent_path()).permissions(), fs::perms::owner_all);
    fill(file);
    EXPECT_EQ(filesInRun(), std::vector<std::string>{"host-1.rings"});
    file.close(0);
    EXPECT_FALSE(fs::exists(file.path()));
    store.removeFiles();
    EXPECT_FALSE(fs::exists(fs::path(file.path()).parent_path()));
    EXPECT_EQ(filesInRun(), std::vector<std::string>{"host-1.db"});
    EXPECT_EQ(trace::readProcess(names.database()).steps.at(0).number, 7);
}

TEST_F(TraceFileTest, ofAFlightRecorderLeavesNothing)
{
    options.keepLastNs = 60'000'000'000;
    RingStore store(names, &never);
    TraceFile file(names, options, store);
    file.open();
    EXPECT_TRUE(file.isFlightRecorder());
    fill(file);
    file.close(0);
    store.removeFiles();
    EXPECT_TRUE(filesInRun().empty());
    EXPECT_FALSE(fs::exists(fs::path(file.path()).parent_path()));
}

TEST_F(TraceFileTest, ofAFlightRecorderStaysWhenTheProgramFails)
{
    options.keepLastNs = 60'000'000'000;
    RingStore store(names, &never);
    TraceFile file(names, options, store);
    file.open();
    fill(file);
    file.close(1);
    store.removeFiles();
    EXPECT_EQ(filesInRun(), std::vector<std::string>{"host-1.db"});
    EXPECT_EQ(trace::readProcess(names.database()).steps.size(), 1U);
}

TEST_F(TraceFileTest, ofAFlightRecorderKeepsWhatLedToAHangHoweverLongItLasts)
{
    options.keepLastNs = 8'000'000; // it looks every millisecond
    RingStore store(names, &never);
    TraceFile file(names, options, store);
    file.open();
    fill(file);
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    const std::int64_t quietSince = now / 2; // long ago, but after this machine's start
    const std::int64_t lately = now - now / 8;
    for (const std::int64_t start : {quietSince - options.keepLastNs - 1, quietSince - 1, lately}) {
        file.writer().add(trace::StepRow{start - quietSince, start, start + 1, 1});
    }
    const auto numbers = [&] {
        file.keep(quietSince);
        usleep(2000);
        file.keep(quietSince);
        file.writer().commit();
        file.dump("a test", {});
        std::vector<std::int64_t> found;
        for (const trace::StepRow& step : trace::readProcess(names.database()).steps) {
            found.push_back(step.number);
        }
        return found;
    };
    file.writer().commit();
    EXPECT_EQ(numbers(), (std::vector<std::int64_t>{-1, lately - quietSince}));
    usleep(2000);
    file.keep(std::nullopt);
    file.writer().commit();
    file.dump("it goes on", {});
    EXPECT_TRUE(trace::readProcess(names.database()).steps.empty());
}

TEST_F(TraceFileTest, ofAFlightRecorderIsDumpedWhole)
{
    options.keepLastNs = 60'000'000'000;
    RingStore store(names, &never);
    TraceFile file(names, options, store);
    file.open();
    fill(file);
    trace::InFlightRow call;
    call.count = 4096;
    EXPECT_EQ(file.dump("a first test", {call}), "host-1.db");
    EXPECT_EQ(trace::readProcess(names.database()).inFlight.at(0).count, 4096U);
    file.writer().add(trace::StepRow{8, 2, 3, 1});
    file.writer().commit();
    EXPECT_EQ(file.dump("a second test", {}), "host-1.db");
    const trace::ProcessTrace process = trace::readProcess(names.database());
    EXPECT_EQ(process.steps.size(), 2U);
    EXPECT_TRUE(process.inFlight.empty()) << "of the first dump only";
    ASSERT_EQ(process.issues.size(), 1U);
    EXPECT_NE(process.issues[0].message.find("a second test"), std::string::npos);
    file.close(0);
    store.removeFiles();
    EXPECT_EQ(filesInRun(), std::vector<std::string>{"host-1.db"});
}

TEST_F(TraceFileTest, isMovedWholeWhileItIsRead)
{
    RingStore store(names, &thatOne);
    TraceFile file(names, options, store);
    file.open();
    ASSERT_NE(file.path(), names.database());
    fill(file);
    sqlite3* reader = nullptr;
    ASSERT_EQ(sqlite3_open_v2(file.path().c_str(), &reader, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr),
              SQLITE_OK);
    file.writer().add(trace::StepRow{8, 2, 3, 1});
    file.writer().commit();
    file.close(0);
    sqlite3_close(reader);
    store.removeFiles();
    EXPECT_EQ(trace::readProcess(names.database()).steps.size(), 2U);
    EXPECT_EQ(filesInRun(), std::vector<std::string>{"host-1.db"});
}

TEST_F(TraceFileTest, aDumpThatCannotBeMadeEndsNothing)
{
    options.keepLastNs = 60'000'000'000;
    RingStore store(names, &never);
    TraceFile file(names, options, store);
    file.open();
    fill(file);
    const std::filesystem::path inTheWay = names.database() + ".tmp";
    std::filesystem::create_directories(inTheWay / "full");
    EXPECT_EQ(file.dump("a test", {}).substr(0, 8), "failed: ");
    std::filesystem::remove_all(inTheWay);
    EXPECT_EQ(file.dump("another test", {}), "host-1.db");
}

TEST_F(TraceFileTest, aDumpRecordsThatTheProcessContinuedAndEndedNormally)
{
    options.keepLastNs = 60'000'000'000;
    const auto issuesAfter = [this](int exitCode) {
        RingStore store(names, &never);
        TraceFile file(names, options, store);
        file.open();
        fill(file);
        file.dump("a test", {});
        file.close(exitCode);
        store.removeFiles();
        std::vector<std::string> ids;
        for (const trace::IssueRow& issue : trace::readProcess(names.database()).issues) {
            ids.push_back(issue.id);
        }
        return ids;
    };
    EXPECT_EQ(issuesAfter(0), (std::vector<std::string>{"dumped_while_running", "ended_after_dump"}));
    EXPECT_EQ(issuesAfter(1), std::vector<std::string>{}) << "the whole recording is there instead";
}

TEST_F(TraceFileTest, ofADeadProcessIsFoundByRecovery)
{
    options.keepLastNs = 60'000'000'000;
    RingStore store(names, &never);
    TraceFile file(names, options, store);
    file.open();
    fill(file);
    const auto found = trace::findLeftoverRings(run);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].database, file.path());
    file.close(0);
    store.removeFiles();
}

TEST_F(TraceFileTest, aDumpIsAskedForOnce)
{
    RingStore store(names, &never);
    TraceFile file(names, options, store);
    EXPECT_EQ(file.takeDumpRequest(), nullptr);
    requestDump("a test");
    EXPECT_STREQ(file.takeDumpRequest(), "a test");
    EXPECT_EQ(file.takeDumpRequest(), nullptr);
}

} // namespace
