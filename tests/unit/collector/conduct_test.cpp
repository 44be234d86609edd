// SPDX-License-Identifier: Apache-2.0
// Conduct in someone else's process: whatever the program does, it notices nothing, and every call that
// returned is in the trace once, or counted.
#include "recorded_run.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <string>

using ringside::test::RecordedRun;

namespace {

constexpr const char* kCalls = "SELECT count(*) FROM collective_call";

std::ptrdiff_t count(const std::string& text, const std::string& part)
{
    std::ptrdiff_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

TEST(Conduct, theProgramNoticesNothing)
{
    for (const std::string scenario :
         {"static_destructor", "vfork_exec", "fork_while_it_begins", "signal_handler", "threads_end"}) {
        const RecordedRun without({"recorded_conduct", scenario}, RecordedRun::Collector::Absent);
        const RecordedRun with({"recorded_conduct", scenario});
        EXPECT_EQ(with.output, without.output) << scenario;
        EXPECT_EQ(with.waitStatus, without.waitStatus) << scenario;
    }
}

struct HowItEnds : testing::TestWithParam<const char*> {};

TEST_P(HowItEnds, everyCallIsInTheTraceOnce)
{
    const RecordedRun run({"recorded_conduct", "ends", GetParam()});
    if (!run.filesEndingIn(".rings").empty()) {
        run.recover();
    }
    EXPECT_EQ(run.number(kCalls), 10000) << run.output;
    EXPECT_EQ(run.number("SELECT count(DISTINCT id) FROM collective_call"), 10000);
    EXPECT_EQ(run.number("SELECT count(DISTINCT sequence) FROM collective_call"), 10000);
    EXPECT_EQ(run.number("SELECT count(*) FROM dropped"), 0);
}

INSTANTIATE_TEST_SUITE_P(Conduct, HowItEnds,
                         testing::Values("return", "exit", "exit_in_thread", "_exit", "quick_exit", "abort",
                                         "kill"),
                         [](const auto& how) { return "by_" + std::string(how.param); });

/// Of the trace of a program that ended so, after recovery.
std::string reportedBy(const RecordedRun& run)
{
    return run.text("SELECT coalesce(max(name || ' ' || value), 'nothing') FROM setting "
                    "WHERE source = 'process' AND name IN ('exit_code', 'became')");
}

TEST(Conduct, aProgramThatEndsItselfIsNotCalledKilled)
{
    const std::map<std::string, std::string> told = {
        {"_exit", "exit_code 0"},
        {"_Exit", "exit_code 7"},
        {"quick_exit", "exit_code 0"},
        {"execv", "became another program"},
        {"execve", "became another program"},
        {"execvp", "became another program"},
        {"execvpe", "became another program"},
        {"fexecve", "became another program"},
        {"execl", "became another program"},
        {"execlp", "became another program"},
        {"execle", "became another program"},
    };
    for (const auto& [how, words] : told) {
        const RecordedRun run({"recorded_conduct", "ends", how});
        EXPECT_EQ(WEXITSTATUS(run.waitStatus), how == "_Exit" ? 7 : 0) << how << run.output;
        run.recover();
        EXPECT_EQ(reportedBy(run), words) << how;
        EXPECT_EQ(run.number("SELECT count(*) FROM issue WHERE id = 'process_killed'"), 0) << how;
        EXPECT_EQ(run.number(kCalls), 10000) << how;
    }
}

TEST(Conduct, aKilledProgramHasNoRecordedEnd)
{
    for (const std::string how : {"kill", "abort", "exec_that_fails"}) {
        const RecordedRun run({"recorded_conduct", "ends", how});
        EXPECT_TRUE(WIFSIGNALED(run.waitStatus)) << how << run.output;
        run.recover();
        EXPECT_EQ(reportedBy(run), "nothing") << how;
        EXPECT_EQ(run.number("SELECT count(*) FROM issue WHERE id = 'process_killed'"), 1) << how;
    }
}

/// What others do in the same memory, or with a copy of it, is not its end.
TEST(Conduct, theEndOfAChildIsNotThatOfTheProgram)
{
    const RecordedRun run({"recorded_conduct", "children_end_and_it_is_killed"});
    EXPECT_TRUE(WIFSIGNALED(run.waitStatus)) << run.output;
    run.recover();
    EXPECT_EQ(reportedBy(run), "nothing");
}

TEST(Conduct, aCallThatNeverReturnsIsNamedAtTheEnd)
{
    const RecordedRun run({"recorded_conduct", "exit_during_call"});
    EXPECT_TRUE(WIFEXITED(run.waitStatus) && WEXITSTATUS(run.waitStatus) == 5) << run.output;
    EXPECT_EQ(run.number(kCalls), 1);
    EXPECT_EQ(run.number("SELECT count FROM in_flight"), 666);
    EXPECT_TRUE(run.filesEndingIn(".rings").empty());
}

TEST(Conduct, aProgramStartedByVforkRecordsForItself)
{
    const RecordedRun run({"recorded_conduct", "vfork_exec"});
    EXPECT_EQ(run.filesEndingIn(".db").size(), 2U) << run.output;
    EXPECT_TRUE(run.filesEndingIn(".rings").empty());
}

TEST(Conduct, recordsCallsOfSignalHandlersOutsideOfCalls)
{
    const RecordedRun run({"recorded_conduct", "signal_handler"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number(std::string(kCalls) + " WHERE count = 667"), 1);
    const std::int64_t dropped = run.number("SELECT coalesce(sum(records), 0) FROM dropped");
    EXPECT_GE(run.number(kCalls) + dropped, 200001);
    EXPECT_GE(run.number("SELECT sum(count) FROM api_call_chunk"),
              2); // the id, the communicator and handlers' calls
}

TEST(Conduct, recordsThreadsHoweverTheyEnd)
{
    const RecordedRun run({"recorded_conduct", "threads_end"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text("SELECT group_concat(count) FROM (SELECT count FROM collective_call ORDER BY count)"),
              "1,1,2,3,4");
    EXPECT_EQ(run.number("SELECT count(*) FROM in_flight"), 0);
}

TEST(Conduct, aFileSizeLimitMidwayStopsTheRecordingOnly)
{
    const RecordedRun run({"recorded_conduct", "file_limit_midway"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_NE(run.output.find("the job went on"), std::string::npos);
    EXPECT_EQ(count(run.output, "recording stopped"), 1) << run.output;
    run.recover();
    EXPECT_EQ(reportedBy(run), "exit_code 0");
    EXPECT_GE(run.number(kCalls), 50000);
    EXPECT_EQ(run.number("SELECT count FROM issue WHERE id = 'recording_stopped'"), 1);
    EXPECT_EQ(run.number("SELECT count(*) FROM issue WHERE id = 'process_killed'"), 0);
}

// Mounts of this process alone; without the right to make them these tests are skipped.
class PrivateMounts final {
public:
    PrivateMounts()
        : m_made(unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0)
    {}
    ~PrivateMounts() { unmount(); }
    void unmount()
    {
        for (const std::string& path : m_mounted) {
            umount2(path.c_str(), MNT_DETACH);
        }
        m_mounted.clear();
    }
    PrivateMounts(const PrivateMounts&) = delete;
    PrivateMounts& operator=(const PrivateMounts&) = delete;

    bool tmpfs(const std::string& path, const char* options)
    {
        const bool mounted = m_made && mount("tmpfs", path.c_str(), "tmpfs", 0, options) == 0;
        if (mounted) {
            m_mounted.push_back(path);
        }
        return mounted;
    }

private:
    bool m_made;
    std::vector<std::string> m_mounted;
};

struct SmallFileSystem : testing::Test {
    ~SmallFileSystem() override
    {
        mounts.unmount();
        std::filesystem::remove_all(directory);
    }
    std::filesystem::path directory = RecordedRun::makeDirectory();
    PrivateMounts mounts;
};

TEST_F(SmallFileSystem, aDiskThatFillsUpEndsWhatGrowsAndNothingStays)
{
    if (!mounts.tmpfs(directory, "size=16m,mode=700")) {
        GTEST_SKIP() << "no right to mount a small file system: " << std::strerror(errno);
    }
    const RecordedRun run({"recorded_conduct", "full_disk"}, RecordedRun::Collector::Preloaded, {},
                          directory);
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_NE(run.output.find("the job went on"), std::string::npos);
    EXPECT_EQ(count(run.output, "nearly full"), 1) << run.output;
    EXPECT_EQ(count(run.output, "ringside["), 1) << run.output;
    EXPECT_TRUE(run.filesEndingIn(".rings").empty());
    const auto calls = run.number(kCalls);
    EXPECT_GE(calls + run.number("SELECT coalesce(sum(records), 0) FROM dropped"), 20000);
    EXPECT_LT(calls, 60000);
    EXPECT_EQ(run.number("SELECT count FROM issue WHERE id = 'trace_full'"), 1);
    EXPECT_EQ(run.number("SELECT count(*) FROM window WHERE level = 'paused'"), 1);
}

TEST_F(SmallFileSystem, aDiskWithoutRoomIsRefusedBeforeAnythingIsMade)
{
    if (!mounts.tmpfs(directory, "size=1m,mode=700")) {
        GTEST_SKIP() << "no right to mount a small file system: " << std::strerror(errno);
    }
    const RecordedRun run({"recorded_conduct", "ends", "return"}, RecordedRun::Collector::Preloaded, {},
                          directory);
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(count(run.output, "not recording: the disk of"), 1) << run.output;
    EXPECT_EQ(count(run.output, "ringside["), 1) << run.output;
    EXPECT_TRUE(run.filesEndingIn("").empty());
}

TEST_F(SmallFileSystem, withoutSharedMemoryTheRingsLieInTheRunDirectory)
{
    if (!mounts.tmpfs("/dev/shm", "size=2m")) {
        GTEST_SKIP() << "no right to mount a small /dev/shm: " << std::strerror(errno);
    }
    const RecordedRun run({"recorded_conduct", "ends", "kill"});
    EXPECT_EQ(run.filesEndingIn(".ringfiles").size(), 1U);
    run.recover();
    EXPECT_EQ(run.number(kCalls), 10000);
}

TEST_F(SmallFileSystem, withRoomForNoRingNothingIsRecordedAndNothingStays)
{
    if (!mounts.tmpfs("/dev/shm", "size=256k") || !mounts.tmpfs(directory, "size=512k,mode=700")) {
        GTEST_SKIP() << "no right to mount small file systems: " << std::strerror(errno);
    }
    const RecordedRun run({"recorded_conduct", "ends", "return"}, RecordedRun::Collector::Preloaded, {},
                          directory);
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(count(run.output, "ringside["), 1) << run.output;
    EXPECT_TRUE(run.filesEndingIn("").empty());
}

TEST_F(SmallFileSystem, aThreadWithoutARingIsCounted)
{
    if (!mounts.tmpfs("/dev/shm", "size=2m") || !mounts.tmpfs(directory, "size=18m,mode=700")) {
        GTEST_SKIP() << "no right to mount small file systems: " << std::strerror(errno);
    }
    const RecordedRun run({"recorded_conduct", "ends", "return"}, RecordedRun::Collector::Preloaded, {},
                          directory);
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT count FROM issue WHERE id = 'thread_not_recorded'"), 1);
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 5000);
}

// CUPTI says no: the reason stands in the trace and once on stderr, and nothing stays switched on.
struct CuptiRefuses : testing::Test {
    static RecordedRun::Environment fake(const std::string& wish)
    {
        return {"RINGSIDE_PROFILE=standard", "LD_LIBRARY_PATH=" RINGSIDE_FAKES, "FAKE_CUPTI=" + wish};
    }
    static void expectRefusal(const RecordedRun& run, const std::string& reason)
    {
        EXPECT_EQ(run.waitStatus, 0) << run.output;
        EXPECT_EQ(run.text("SELECT active FROM tier WHERE tier = 'device'"), "0");
        EXPECT_NE(run.text("SELECT reason FROM tier WHERE tier = 'device'").find(reason), std::string::npos)
            << run.text("SELECT reason FROM tier WHERE tier = 'device'");
        EXPECT_EQ(count(run.output, "ringside["), 1) << run.output;
        EXPECT_NE(run.output.find(reason), std::string::npos) << run.output;
    }
};

#ifdef RINGSIDE_HAS_PLATFORM
TEST_F(CuptiRefuses, whenAnotherToolHoldsIt)
{
    const RecordedRun run({"recorded_conduct", "holds_cupti"}, RecordedRun::Collector::Preloaded,
                          {"RINGSIDE_PROFILE=standard", "LD_LIBRARY_PATH=" RINGSIDE_PLATFORM});
    expectRefusal(run, "another tool holds CUPTI");
}
#endif

TEST_F(CuptiRefuses, whenItIsNotAllowed)
{
    const RecordedRun run({"recorded_conduct", "one_allocation"}, RecordedRun::Collector::Preloaded,
                          fake("enable 35"));
    expectRefusal(run, "privileges");
    EXPECT_NE(run.output.find("cupti: 0 kinds on, 0 subscribers"), std::string::npos) << run.output;
}

TEST_F(CuptiRefuses, silentlyIfItWasNotRequested)
{
    RecordedRun::Environment environment = fake("subscribe 999");
    environment[0] = "RINGSIDE_PROFILE=auto";
    const RecordedRun run({"recorded_conduct", "one_allocation"}, RecordedRun::Collector::Preloaded,
                          environment);
    EXPECT_NE(run.text("SELECT reason FROM tier WHERE tier = 'device'").find("no driver"), std::string::npos);
    EXPECT_EQ(count(run.output, "ringside["), 0) << run.output;
}

TEST_F(CuptiRefuses, whenThereIsNoDriver)
{
    const RecordedRun run({"recorded_conduct", "one_allocation"}, RecordedRun::Collector::Preloaded,
                          fake("subscribe 999"));
    expectRefusal(run, "no driver");
}

TEST_F(CuptiRefuses, forAReasonThatIsNamed)
{
    const std::map<int, std::string> reasons = {
        {15, "too old"},    {33, "virtual GPU"}, {40, "virtual GPU"}, {41, "confidential computing"},
        {42, "mining GPU"}, {43, "MIG"},         {45, "WSL"},         {7, "CUPTI refused"},
    };
    for (const auto& [code, reason] : reasons) {
        const RecordedRun run({"recorded_conduct", "one_allocation"}, RecordedRun::Collector::Preloaded,
                              fake("subscribe " + std::to_string(code)));
        expectRefusal(run, reason);
    }
}

TEST_F(CuptiRefuses, whenItIsLeftToThePyTorchProfiler)
{
    RecordedRun::Environment environment = fake("");
    environment[0] = "KINETO_USE_DAEMON=1"; // and the profile auto
    const RecordedRun run({"recorded_conduct", "one_allocation"}, RecordedRun::Collector::Preloaded,
                          environment);
    EXPECT_NE(run.text("SELECT reason FROM tier WHERE tier = 'device'").find("PyTorch profiler"),
              std::string::npos);
    EXPECT_EQ(run.output, ""); // a wish, not a failure
}

// A hanging job holds the driver's locks: the drain thread goes on, and the end waits only so long.
TEST_F(CuptiRefuses, toComeBackFromACall)
{
    const RecordedRun run({"recorded_conduct", "ends", "return"}, RecordedRun::Collector::Preloaded,
                          fake("flush -1"));
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 10'000); // of two threads
    EXPECT_EQ(run.number("SELECT count FROM issue WHERE id = 'device_calls_blocked'"), 1);
    EXPECT_EQ(count(run.output, "ringside["), 1) << run.output;
    EXPECT_NE(run.output.find("has not come back"), std::string::npos) << run.output;
}

TEST_F(CuptiRefuses, toHandOverABufferBeforeItsRecordsAreComplete)
{
    const auto outputOf = [](const std::string& wish) {
        const RecordedRun run({"recorded_conduct", "one_allocation"}, RecordedRun::Collector::Preloaded,
                              fake(wish));
        EXPECT_EQ(run.waitStatus, 0) << run.output;
        return run.output;
    };
    EXPECT_NE(outputOf("late 3").find("late buffer complete"), std::string::npos);
    EXPECT_NE(outputOf("late 1000000").find("late buffer forced"), std::string::npos);
}

TEST_F(CuptiRefuses, nothingAndIsLetGoAtTheEnd)
{
    const RecordedRun run({"recorded_conduct", "one_allocation"}, RecordedRun::Collector::Preloaded,
                          fake(""));
    EXPECT_EQ(run.text("SELECT active FROM tier WHERE tier = 'device'"), "1");
    EXPECT_NE(run.output.find("cupti: 0 kinds on, 0 subscribers"), std::string::npos) << run.output;
}

// They are asked thousands of times a second, and launch nothing.
TEST_F(CuptiRefuses, nothingAndIsNotAskedForQuestions)
{
    const RecordedRun run({"recorded_conduct", "one_allocation"}, RecordedRun::Collector::Preloaded,
                          fake(""));
    EXPECT_EQ(run.output.find("runtime call 1"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("runtime call 2 off of 7 kinds"), std::string::npos)
        << "after its kind, which would put it on again: " << run.output;
    EXPECT_NE(run.output.find("runtime call 3 off"), std::string::npos) << run.output;
    EXPECT_EQ(run.output.find("driver call 2"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("driver call 3 off"), std::string::npos) << run.output;
}

// Newer ones lie in the same path; the process has the CUDA runtime 12.
TEST(Cupti, isTheOneOfTheProcesssCudaRuntime)
{
    const RecordedRun run(
        {"recorded_copies_12"}, RecordedRun::Collector::Preloaded,
        {"RINGSIDE_PROFILE=standard", "LD_LIBRARY_PATH=" RINGSIDE_FAKES ":" RINGSIDE_FAKES "/cuda_12"});
    EXPECT_NE(run.output.find("cupti 12: 0 kinds on"), std::string::npos) << run.output;
    EXPECT_EQ(run.output.find("cupti: "), std::string::npos) << run.output;
}

TEST(Cupti, ofAnotherCudaIsNotTakenInItsPlace)
{
    const RecordedRun run({"recorded_copies_12"}, RecordedRun::Collector::Preloaded,
                          {"RINGSIDE_PROFILE=standard", "LD_LIBRARY_PATH=" RINGSIDE_FAKES});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.output.find("cupti: "), std::string::npos) << run.output;
    EXPECT_NE(run.text("SELECT reason FROM tier WHERE tier = 'device'").find("libcupti.so.12"),
              std::string::npos)
        << run.output;
}

TEST_F(CuptiRefuses, nothingWhileTheProfileNeedsNoDeviceWork)
{
    const RecordedRun run(
        {"recorded_conduct", "one_allocation"}, RecordedRun::Collector::Preloaded,
        {"RINGSIDE_PROFILE=light", "LD_LIBRARY_PATH=" RINGSIDE_FAKES, "FAKE_CUPTI=subscribe 39"});
    EXPECT_EQ(run.output, ""); // not even loaded
}

} // namespace
