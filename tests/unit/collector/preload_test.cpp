// SPDX-License-Identifier: Apache-2.0
// The whole collector, preloaded into a small program with fake NCCL and CUDA libraries: what it records, and
// that the program does not notice.
#include "recorded_run.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>

using ringside::test::RecordedRun;

namespace {

std::string callsOf(const std::string& api)
{
    return "SELECT count(*) FROM collective_call c JOIN string s ON s.id = c.api_id WHERE s.text = '" + api +
           "'";
}

TEST(Preload, theProgramNoticesNothing)
{
    for (const std::string scenario : {"calls", "cuda", "nothing", "threads", "silent", "forks"}) {
        const RecordedRun without({"recorded_program", scenario}, RecordedRun::Collector::Absent);
        const RecordedRun with({"recorded_program", scenario});
        EXPECT_EQ(with.output, without.output) << scenario;
        EXPECT_EQ(with.waitStatus, without.waitStatus) << scenario;
    }
}

TEST(Preload, recordsEveryCallWithItsArgumentsAndResult)
{
    const RecordedRun run({"recorded_program", "calls"});
    EXPECT_EQ(run.number(callsOf("ncclAllReduce")), 13);
    EXPECT_EQ(run.number("SELECT result FROM collective_call WHERE count = 5"), 5);
    EXPECT_EQ(run.number("SELECT bytes FROM collective_call WHERE count = 10"), 40);
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call WHERE end_ns < start_ns"), 0);
    EXPECT_EQ(run.number("SELECT peer FROM collective_call WHERE count = 16"), 2);
    EXPECT_EQ(run.number("SELECT handle FROM stream"), 0x1000);
    EXPECT_EQ(run.number("SELECT count(*) FROM process WHERE end_ns > start_ns"), 1);
    EXPECT_EQ(run.number("SELECT rank FROM rank WHERE source = 'communicator'"), 3);
    EXPECT_TRUE(run.filesEndingIn(".rings").empty());
}

TEST(Preload, recordsTheProgramsCallAndNotWhatNcclCallsItself)
{
    const RecordedRun run({"recorded_program", "calls"});
    EXPECT_EQ(run.number(callsOf("ncclBcast")), 1);
    EXPECT_EQ(run.number(callsOf("ncclBroadcast")), 0);
}

TEST(Preload, numbersCallsPerCommunicator)
{
    const RecordedRun run({"recorded_program", "calls"});
    EXPECT_EQ(run.number("SELECT max(sequence) FROM collective_call WHERE communicator_id = 1"), 12);
    EXPECT_EQ(run.number("SELECT count(DISTINCT sequence) FROM collective_call WHERE communicator_id = 1"),
              13);
    EXPECT_EQ(run.number("SELECT sequence FROM collective_call WHERE communicator_id = 2"), 0);
    EXPECT_EQ(run.number("SELECT parent_id FROM communicator WHERE id = 2"), 1);
    EXPECT_EQ(run.number("SELECT size FROM communicator WHERE id = 2"), 4);
}

TEST(Preload, oneOutermostGroupHoldsTheCallsInside)
{
    const RecordedRun run({"recorded_program", "calls"});
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_group"), 1);
    EXPECT_EQ(run.number("SELECT calls FROM collective_group"), 2);
    EXPECT_EQ(
        run.number("SELECT count(*) FROM collective_call c JOIN collective_group g ON c.group_id = g.id"), 2);
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_group WHERE start_ns <= launch_start_ns AND "
                         "launch_start_ns <= end_ns"),
              1);
}

TEST(Preload, communicatorsHaveTheSameHashOnEveryRankAndRun)
{
    const RecordedRun first({"recorded_program", "calls"});
    const RecordedRun second({"recorded_program", "calls"});
    EXPECT_EQ(first.text("SELECT group_concat(hash) FROM communicator"),
              second.text("SELECT group_concat(hash) FROM communicator"));
    EXPECT_EQ(first.number("SELECT count(DISTINCT hash) FROM communicator WHERE hash != 0"), 2);
}

TEST(Preload, childrenThatComeLaterAreKnownToo)
{
    const RecordedRun run({"recorded_program", "late_children"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM communicator"), 4);
    EXPECT_EQ(run.number("SELECT count(*) FROM communicator WHERE parent_id = 1 AND size = 4"), 3);
    EXPECT_EQ(run.number("SELECT count(DISTINCT hash) FROM communicator WHERE hash != 0"), 4);
    EXPECT_EQ(run.number("SELECT count(DISTINCT communicator_id) FROM collective_call"), 3);
}

TEST(Preload, aChildThatNeverComesIsNotTheNextInItsPlace)
{
    const RecordedRun run({"recorded_program", "reused_place"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM communicator"), 2);
    EXPECT_EQ(run.number("SELECT count(*) FROM communicator WHERE parent_id != 0"), 0);
}

TEST(Preload, aStreamHasItsOwnDeviceNotTheCallersCurrentOne)
{
    const RecordedRun run({"recorded_program", "streams"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT device FROM stream WHERE handle = 0x1005"), 5);
    EXPECT_EQ(run.number("SELECT device FROM stream WHERE handle = 0x1006"), 6);
    EXPECT_EQ(run.text("SELECT group_concat(device) FROM (SELECT device FROM stream WHERE handle & 7 = 2 "
                       "ORDER BY id)"),
              "5,4,4"); // of the first thread on both devices, and of the second
}

TEST(Preload, recordsCudaCallsStepsAndTheDevice)
{
    const RecordedRun run({"recorded_program", "cuda"});
    EXPECT_EQ(run.number("SELECT sum(count) FROM api_call_chunk"), 4);
    EXPECT_EQ(run.number("SELECT number FROM step_mark"), 7);
    EXPECT_EQ(run.text("SELECT name FROM device"), "emulated test device");
    EXPECT_EQ(run.number("SELECT emulated FROM device"), 1);
    EXPECT_EQ(run.text("SELECT active FROM tier WHERE tier = 'host'"), "1");
    EXPECT_EQ(run.text("SELECT active FROM tier WHERE tier = 'device'"), "0");
    EXPECT_NE(run.text("SELECT reason FROM tier WHERE tier = 'device'"), "");
}

TEST(Preload, answersForAFunctionThatNoLibraryHas)
{
    const RecordedRun run({"recorded_program", "missing"});
    EXPECT_NE(run.output.find("cudaMemset: 801"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("cudaMemset: no loaded library has it"), std::string::npos) << run.output;
}

TEST(Preload, findsALibraryThatWasLoadedLocally)
{
    const RecordedRun run({"recorded_loader", std::string(RINGSIDE_FAKES) + "/libfake_plugin.so"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.output, ""); // no CUDA runtime is loaded: our own questions to it fail without a word
    EXPECT_EQ(run.number(callsOf("ncclAllReduce")), 1);
}

TEST(Preload, aLibraryThatTheProgramClosesStaysCallable)
{
    const RecordedRun run({"recorded_loader", std::string(RINGSIDE_FAKES) + "/libfake_plugin.so", "closes"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT sum(count) FROM api_call_chunk"), 3); // two ids, one communicator
}

TEST(Preload, aChildOfARecordingProcessRecordsNothing)
{
    const RecordedRun run({"recorded_program", "forks"});
    EXPECT_EQ(run.filesEndingIn(".db").size(), 1U);
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 2);
    EXPECT_NE(run.output.find("child status 0"), std::string::npos);
}

TEST(Preload, aChildOfAProcessThatDidNotRecordMayRecord)
{
    const RecordedRun run({"recorded_program", "forks_first"});
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 1);
}

TEST(Preload, survivesThreadsThatComeAndGo)
{
    const RecordedRun run({"recorded_program", "threads"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 100);
    EXPECT_EQ(run.number("SELECT count(DISTINCT thread_id) FROM collective_call"), 100);
}

TEST(Preload, recordsOrCountsEveryOneOfManyCalls)
{
    const RecordedRun run({"recorded_program", "many"});
    const std::int64_t dropped = run.number("SELECT coalesce(sum(records), 0) FROM dropped");
    const std::int64_t recorded =
        run.number("SELECT (SELECT count(*) FROM collective_call) + (SELECT sum(count) FROM api_call_chunk)");
    EXPECT_EQ(recorded + dropped, 400002); // the two calls that make the communicator among them
    RecordProperty("dropped", std::to_string(dropped));
}

TEST(Preload, countsWhatItDropsByThread)
{
    const RecordedRun run({"recorded_program", "overrun"}, RecordedRun::Collector::Preloaded,
                          {"RINGSIDE_RING_BYTES=65536"});
    EXPECT_GT(run.number("SELECT count(DISTINCT thread_id) FROM dropped"), 1) << "nothing was to be counted";
    const std::string calls = "(SELECT count(*) FROM collective_call AS c WHERE c.thread_id = thread.id)";
    const std::string dropped =
        "(SELECT coalesce(sum(records), 0) FROM dropped AS d WHERE d.thread_id = thread.id)";
    EXPECT_EQ(run.number("SELECT count(*) FROM thread WHERE " + calls + " + " + dropped + " = 20000"), 6);
}

TEST(Preload, dropsNothingOfABurstWhileItStarts)
{
    const RecordedRun run({"recorded_program", "burst"});
    EXPECT_EQ(run.number(callsOf("ncclAllReduce")), 30000);
    EXPECT_EQ(run.number("SELECT count(*) FROM dropped"), 0);
}

TEST(Preload, dropsNothingOfAHundredThousandCallsASecond)
{
    const RecordedRun run({"recorded_program", "paced"});
    EXPECT_EQ(run.number(callsOf("ncclAllReduce")), 150000);
    EXPECT_EQ(run.number("SELECT count(*) FROM dropped"), 0);
}

TEST(Preload, aKilledProgramLeavesItsRingsAndTheirPlace)
{
    const RecordedRun run({"recorded_program", "killed"});
    EXPECT_TRUE(WIFSIGNALED(run.waitStatus) && WTERMSIG(run.waitStatus) == SIGKILL);
    EXPECT_EQ(run.filesEndingIn(".rings").size(), 1U);
}

TEST(Preload, aKilledProgramLeavesWhatWasRecordedWhen)
{
    const RecordedRun run({"recorded_program", "killed_in_pause"}, RecordedRun::Collector::Preloaded,
                          {"RINGSIDE_PROFILE=light"});
    EXPECT_TRUE(WIFSIGNALED(run.waitStatus) && WTERMSIG(run.waitStatus) == SIGKILL);
    run.recover();
    EXPECT_EQ(run.text("SELECT group_concat(level || ' ' || why, ', ') FROM window"),
              "light , paused the program called ringside_pause()");
    EXPECT_EQ(run.number("SELECT count(*) FROM window AS a JOIN window AS b ON a.end_ns = b.start_ns"
                         " WHERE b.end_ns IS NULL"),
              1);
}

TEST(Preload, aProgramThatEndsInACallLeavesItInFlight)
{
    const RecordedRun run({"recorded_program", "hangs"});
    EXPECT_TRUE(WIFSIGNALED(run.waitStatus) && WTERMSIG(run.waitStatus) == SIGALRM);
    EXPECT_EQ(run.number(callsOf("ncclAllReduce")), 1);
    EXPECT_EQ(run.filesEndingIn(".rings").size(), 1U);
}

TEST(Preload, aFileSizeLimitStopsTheRecordingAndNotTheJob)
{
    const RecordedRun run({"recorded_program", "file_limit"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_NE(run.output.find("10: result 0 errno 10"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("not recording"), std::string::npos) << run.output;
}

// Where even root makes no files.
TEST(Preload, aRunDirectoryThatTakesNoFilesIsNamedAndTheJobGoesOn)
{
    const RecordedRun run({"recorded_copies"}, RecordedRun::Collector::Preloaded, {"RINGSIDE_DIR=/proc"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_NE(run.output.find("not recording: cannot make files in /proc: "), std::string::npos)
        << run.output;
}

TEST(Preload, launchersLeaveNothing)
{
    const RecordedRun run({"recorded_program", "nothing"});
    EXPECT_TRUE(run.filesEndingIn("").empty());
}

TEST(Preload, recordsNothingWhenSwitchedOff)
{
    const RecordedRun run({"recorded_program", "calls"}, RecordedRun::Collector::Preloaded,
                          {"RINGSIDE_PROFILE=off"});
    EXPECT_EQ(run.waitStatus, 0);
    EXPECT_TRUE(run.filesEndingIn("").empty());
}

TEST(Preload, storesOnlyListedSettingsAndNoSecrets)
{
    const RecordedRun run(
        {"recorded_program", "cuda"}, RecordedRun::Collector::Preloaded,
        {"NCCL_ALGO=Ring", "SLURM_JWT=deadbeef", "PRIVATE_THING=1", "RANK=6", "WORLD_SIZE=8"});
    EXPECT_EQ(run.text("SELECT value FROM setting WHERE name = 'NCCL_ALGO'"), "Ring");
    EXPECT_EQ(run.text("SELECT value FROM setting WHERE name = 'SLURM_JWT'"), "(redacted)");
    EXPECT_EQ(run.number("SELECT count(*) FROM setting WHERE name = 'PRIVATE_THING'"), 0);
    EXPECT_EQ(run.number("SELECT rank FROM rank"), 6);
    EXPECT_EQ(run.number("SELECT world_size FROM rank"), 8);
}

TEST(Preload, reportsSettingsThatNcclIgnores)
{
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "nccl.conf";
    std::ofstream(file) << "# a comment = not a setting\nNCCL_BUFFSIZE=8388608\nNCCL_ALGO=Tree\n";
    const RecordedRun run(
        {"recorded_program", "calls"}, RecordedRun::Collector::Preloaded,
        {"NCCL_ALGO=Ring", "NCCL_NCHANNELS=8", "NCCL_BLOCKING_WAIT=1", "NCCL_CONF_FILE=" + file.string()});
    // The fake NCCL reads nothing at all.
    EXPECT_EQ(run.text("SELECT value FROM setting WHERE name = 'nccl_unknown_variables'"),
              "NCCL_ALGO,NCCL_BUFFSIZE,NCCL_CONF_FILE,NCCL_NCHANNELS");
    EXPECT_EQ(run.text("SELECT group_concat(name || '=' || value) FROM setting WHERE source = 'nccl.conf'"),
              "NCCL_BUFFSIZE=8388608");
    EXPECT_NE(run.text("SELECT value FROM setting WHERE name = 'nccl_path'").find("libnccl.so.2"),
              std::string::npos);
}

TEST(Preload, aPauseLosesNoDefinitionAndNoNumber)
{
    const RecordedRun run({"recorded_program", "paused"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text("SELECT group_concat(sequence || ':' || count, ' ') FROM collective_call"),
              "2:3 3:4 5:6");
    EXPECT_EQ(run.number("SELECT count(*) FROM communicator"), 1);
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_group WHERE calls = 1"), 1);
    EXPECT_EQ(run.number("SELECT count(*) FROM api_call_chunk"), 0); // neither ncclCommInitRank nor the wait
    EXPECT_EQ(run.text("SELECT group_concat(level, ' ') FROM window"), "paused standard paused standard");
}

} // namespace
