// SPDX-License-Identifier: Apache-2.0
// A recorded job ends as it would without the collector: same exit code, same output, whatever happens to it
// and whatever fails in the collector. Missing data is reported.
#include "recorded_run.h"

#include <ringside/trace/recover.h>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <ostream>
#include <random>
#include <set>
#include <string>

using ringside::test::RecordedRun;

namespace {

/// Runs the scenario with and without the collector.
void expectSame(const std::vector<std::string>& command, const RecordedRun::Environment& environment = {})
{
    const RecordedRun with(command, RecordedRun::Collector::Preloaded, environment);
    const RecordedRun without(command, RecordedRun::Collector::Absent, environment);
    EXPECT_EQ(with.waitStatus, without.waitStatus) << with.output;
    EXPECT_EQ(with.programOutput(), without.output);
    EXPECT_NE(without.waitStatus, 2 << 8) << "the program does not know this scenario";
}

struct NoHarm : testing::TestWithParam<const char*> {};

TEST_P(NoHarm, theJobEndsAsWithoutUs)
{
    const std::vector<std::string> command{"recorded_no_harm", GetParam()};
    expectSame(command);
}

INSTANTIATE_TEST_SUITE_P(Collector, NoHarm,
                         testing::Values("fork_in_threads", "exec_after_calls", "short_threads",
                                         "closing_library", "exit_in_handler", "small_stack",
                                         "small_stack_first", "no_more_files", "no_more_files_midway",
                                         "small_files", "small_files_midway", "allocator", "environment"),
                         [](const auto& scenario) { return std::string(scenario.param); });

// With its search for leaks. It does not fork: the allocator of AddressSanitizer does not survive a fork
// while another thread allocates, ours or the program's.
TEST(NoHarmOf, aSanitizedProgram)
{
    for (const std::string scenario : {"allocator", "short_threads", "small_stack", "environment"}) {
        expectSame({"recorded_no_harm_asan", scenario});
    }
}

TEST(NoHarmOf, tenThousandShortThreadsIsNothingLostEither)
{
    const RecordedRun run({"recorded_no_harm", "short_threads"});
    const auto dropped = run.number("SELECT coalesce(sum(records), 0) FROM dropped");
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call") + dropped, 10000) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM issue WHERE id = 'thread_not_recorded'"), 0);
}

TEST(NoHarmOf, execIsTwoTraces)
{
    const RecordedRun run({"recorded_no_harm", "exec_after_calls"});
    run.recover(); // what the first one had in its rings when it was replaced
    EXPECT_EQ(run.filesEndingIn(".db").size(), 2U) << run.output;
}

struct Call {
    const char* name;
    int number;
    friend std::ostream& operator<<(std::ostream& out, const Call& call) { return out << call.name; }
};
constexpr int kCloseRange = 436; // newer than some C libraries
struct Sandbox : testing::TestWithParam<Call> {};

TEST_P(Sandbox, withoutOneSystemCallTheJobEndsAsWithoutUs)
{
    const std::vector<std::string> command{"recorded_no_harm", "sandboxed",
                                           std::to_string(GetParam().number)};
    expectSame(command);
}

// What the collector would like to use, one at a time.
INSTANTIATE_TEST_SUITE_P(Collector, Sandbox,
                         testing::Values(Call{"fallocate", SYS_fallocate}, Call{"mkdir", SYS_mkdir},
                                         Call{"statfs", SYS_statfs}, Call{"ftruncate", SYS_ftruncate},
                                         Call{"fcntl", SYS_fcntl}, Call{"unlink", SYS_unlink},
                                         Call{"rename", SYS_rename}, Call{"prctl", SYS_prctl},
                                         Call{"sched_getaffinity", SYS_sched_getaffinity},
                                         Call{"getrandom", SYS_getrandom}, Call{"pread", SYS_pread64},
                                         Call{"pwrite", SYS_pwrite64}, Call{"getdents", SYS_getdents64},
                                         Call{"prlimit", SYS_prlimit64}, Call{"gettid", SYS_gettid},
                                         Call{"flock", SYS_flock}, Call{"geteuid", SYS_geteuid},
                                         Call{"madvise", SYS_madvise}, Call{"unshare", SYS_unshare},
                                         Call{"close_range", kCloseRange}, Call{"dup2", SYS_dup2}),
                         [](const auto& call) { return std::string(call.param.name); });

// Docker's default sandbox refuses unshare, kernels before 5.9 do not have close_range.
TEST(NoHarmOf, aSandboxThatLeavesOneWayToDescriptorsOfOurOwn)
{
    for (const int refused : {kCloseRange, static_cast<int>(SYS_unshare)}) {
        const RecordedRun run({"recorded_no_harm", "sandboxed", std::to_string(refused)});
        EXPECT_EQ(run.output, "failed calls: 0, errno: 77\n");
        EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 1000);
    }
}

TEST(NoHarmOf, aSandboxWithoutDescriptorsIsReportedAndNotRecorded)
{
    const std::vector<std::string> command{"recorded_no_harm", "sandboxed", std::to_string(kCloseRange),
                                           std::to_string(SYS_unshare)};
    expectSame(command);
    const RecordedRun run(command);
    EXPECT_NE(run.output.find("not recording: no thread can have descriptors of its own"), std::string::npos)
        << run.output;
    EXPECT_TRUE(std::filesystem::is_empty(run.directory()));
}

/// What leaves something out of the trace, or makes more files; each beside samples as often as they may be.
const std::vector<RecordedRun::Environment> kFaultyModes = {
    {},
    {"RINGSIDE_KEEP_LAST=100ms"},
    {"RINGSIDE_PROFILE=light", "RINGSIDE_WINDOW=50ms/50ms"},
    {"RINGSIDE_MAX_SIZE=4M", "RINGSIDE_WHEN_FULL=oldest"},
    {"RINGSIDE_HANG_TIMEOUT=10ms", "RINGSIDE_PROFILE=deep"},
};

/// Of a flight recorder there is no trace after a clean end.
void expectNothingLostSilently(const RecordedRun& run, bool isFlightRecorder, int& complete)
{
    const bool spoke = run.output.find("ringside[") != std::string::npos;
    if (run.filesEndingIn(".db").size() != 1) {
        EXPECT_TRUE(spoke || isFlightRecorder) << "nothing was recorded, and nothing said";
        return;
    }
    EXPECT_EQ(run.text("PRAGMA integrity_check"), "ok");
    constexpr int kCalls = 41000;
    const auto recorded = run.number("SELECT count(*) FROM collective_call");
    const auto dropped = run.number("SELECT coalesce(sum(records), 0) FROM dropped");
    const auto said = run.number("SELECT (SELECT count(*) FROM issue) + "
                                 "(SELECT count(*) FROM window WHERE level = 'paused')");
    EXPECT_LE(recorded, kCalls);
    EXPECT_TRUE(recorded + dropped == kCalls || said > 0 || spoke)
        << recorded << " recorded, " << dropped << " dropped, of " << kCalls;
    complete += recorded == kCalls ? 1 : 0;
}

/// Faults of the system under the collector, in each of its modes. More of them with RINGSIDE_TEST_FAULTS,
/// others with RINGSIDE_TEST_SEED.
TEST(NoHarmOf, aFaultySystem)
{
    const char* wanted = std::getenv("RINGSIDE_TEST_FAULTS");
    const char* seed = std::getenv("RINGSIDE_TEST_SEED");
    const int runs = wanted != nullptr ? std::atoi(wanted) : 20;
    const int first = seed != nullptr ? std::atoi(seed) : 1;
    int complete = 0;
    for (int number = first; number < first + runs; ++number) {
        const int perMille = 2 << (number % 7); // from rare to one in eight
        const std::string preload =
            std::string(RINGSIDE_FAKES) + "/libfake_faulty_system.so:" + RINGSIDE_COLLECTOR;
        RecordedRun::Environment environment =
            kFaultyModes[static_cast<std::size_t>(number) % kFaultyModes.size()];
        const bool isFlightRecorder =
            !environment.empty() && environment.front().starts_with("RINGSIDE_KEEP_LAST");
        environment.insert(environment.end(),
                           {"LD_PRELOAD=" + preload, "FAULT_SEED=" + std::to_string(number),
                            "FAULT_PER_MILLE=" + std::to_string(perMille), "RINGSIDE_RING_BYTES=1048576",
                            "RINGSIDE_SAMPLE_MS=10"});
        const RecordedRun run({"recorded_no_harm", "faults"}, RecordedRun::Collector::Preloaded, environment);
        SCOPED_TRACE("seed " + std::to_string(number) + ", " + std::to_string(perMille) + " per mille\n" +
                     run.output);
        EXPECT_EQ(run.waitStatus, 0);
        EXPECT_EQ(run.programOutput(), "failed calls: 0, errno: 77\n");
        if (!run.filesEndingIn(".rings").empty()) {
            EXPECT_NO_THROW(ringside::trace::recover(run.directory()));
        }
        expectNothingLostSilently(run, isFlightRecorder, complete);
    }
    std::printf("%d of %d runs were recorded completely\n", complete, runs);
    EXPECT_LT(complete, runs) << "no fault was met";
}

bool isFaulty(void* faults, const char* name)
{
    Dl_info found{};
    void* const function = dlsym(faults, name); // of its own libraries, too
    return function != nullptr && dladdr(function, &found) != 0 &&
           std::string(found.dli_fname).find("libfake_faulty_system") != std::string::npos;
}

TEST(NoHarmOf, aFaultySystemFailsEveryCallThatTheCollectorMakes)
{
    void* const faults = dlopen(RINGSIDE_FAKES "/libfake_faulty_system.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(faults, nullptr) << dlerror();
    // These cannot fail, or do nothing else when they do: clocks, identities, waiting, and close.
    const std::set<std::string> left{"clock_gettime", "gettimeofday", "time",          "getpid", "getuid",
                                     "geteuid",       "nanosleep",    "sem_timedwait", "close"};
#define RS_LIBC(result, name, parameters, arguments)                                                         \
    EXPECT_NE(isFaulty(faults, #name), left.contains(#name)) << #name;
#include "resolve/own_libc.def"
#undef RS_LIBC
}

/// "" is any thread of the collector.
const std::vector<std::string> kCollectorThreads = {"",
                                                    "ringside",
                                                    "ringside-sample",
                                                    "ringside-device",
                                                    "ringside-nvml",
                                                    "ringside-rdma",
                                                    "ringside-calls",
                                                    "ringside-events"};

/// The collector's allocations, or those of one of its threads, fail from a random one on, for a while or for
/// good. More runs with RINGSIDE_TEST_FAULTS, others with RINGSIDE_TEST_SEED.
TEST(NoHarmOf, aLackOfMemory)
{
    const char* wanted = std::getenv("RINGSIDE_TEST_FAULTS");
    const char* seed = std::getenv("RINGSIDE_TEST_SEED");
    const int runs = wanted != nullptr ? std::atoi(wanted) : 24;
    std::mt19937 random(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 1U);
    std::uniform_real_distribution<double> doublings(3, 15); // the first are libstdc++'s own, for exceptions
    int complete = 0;
    for (int number = 0; number < runs; ++number) {
        const std::string after = std::to_string(static_cast<long>(std::exp2(doublings(random))));
        const std::string count = random() % 2 == 0 ? "20" : "1000000000";
        const std::string& thread = kCollectorThreads[random() % kCollectorThreads.size()];
        const RecordedRun::Environment& mode = kFaultyModes[random() % kFaultyModes.size()];
        const bool isFlightRecorder = !mode.empty() && mode.front().starts_with("RINGSIDE_KEEP_LAST");
        RecordedRun::Environment environment{
            std::string("LD_PRELOAD=") + RINGSIDE_FAKES "/libfake_no_memory.so:" RINGSIDE_COLLECTOR,
            "NO_MEMORY_AFTER=" + after,
            "NO_MEMORY_FOR=" + count,
            "RINGSIDE_RING_BYTES=1048576",
            "RINGSIDE_SAMPLE_MS=10",
            "RINGSIDE_PROFILE=standard",
            random() % 2 == 0 ? "RINGSIDE_CUDA_EVENTS=1" : "RINGSIDE_CUDA_EVENTS=0"};
        if (!thread.empty()) {
            environment.push_back("NO_MEMORY_THREAD=" + thread);
        }
        environment.insert(environment.end(), mode.begin(), mode.end());
        const RecordedRun run({"recorded_no_harm", "faults"}, RecordedRun::Collector::Preloaded, environment);
        SCOPED_TRACE("run " + std::to_string(number) + ": " + count + " allocations fail after " + after +
                     " " + thread + "\n" + run.output);
        EXPECT_EQ(run.waitStatus, 0);
        EXPECT_EQ(run.programOutput(), "failed calls: 0, errno: 77\n");
        if (!run.filesEndingIn(".rings").empty()) {
            EXPECT_NO_THROW(ringside::trace::recover(run.directory()));
        }
        expectNothingLostSilently(run, isFlightRecorder, complete);
    }
    std::printf("%d of %d runs were recorded completely\n", complete, runs);
    EXPECT_LT(complete, runs) << "no lack was met";
}

struct Pair {
    const char* name;
    std::string first;
    std::string second;
    friend std::ostream& operator<<(std::ostream& out, const Pair& pair) { return out << pair.name; }
};
struct Neighbour : testing::TestWithParam<Pair> {};

TEST_P(Neighbour, inThePreloadIsNoDisturbance)
{
    const RecordedRun run({"recorded_no_harm", "allocator"}, RecordedRun::Collector::Preloaded,
                          {"LD_PRELOAD=" + GetParam().first + ":" + GetParam().second});
    if (run.output.find("cannot be preloaded") != std::string::npos) {
        GTEST_SKIP() << run.output;
    }
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_NE(run.output.find("failed calls: 0, errno: 77"), std::string::npos) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 21000);
    if (std::string(GetParam().name).starts_with("interposer")) {
        EXPECT_NE(run.output.find("interposer: 21000 reductions, 1 synchronisations"), std::string::npos)
            << run.output;
    }
}

const std::string kInterposer = std::string(RINGSIDE_FAKES) + "/libfake_interposer.so";
INSTANTIATE_TEST_SUITE_P(
    Collector, Neighbour,
    testing::Values(Pair{"jemalloc_first", "libjemalloc.so.2", RINGSIDE_COLLECTOR},
                    Pair{"jemalloc_behind", RINGSIDE_COLLECTOR, "libjemalloc.so.2"},
                    Pair{"tcmalloc_first", "libtcmalloc_minimal.so.4", RINGSIDE_COLLECTOR},
                    Pair{"tcmalloc_behind", RINGSIDE_COLLECTOR, "libtcmalloc_minimal.so.4"},
                    Pair{"interposer_first", kInterposer, RINGSIDE_COLLECTOR},
                    Pair{"interposer_behind", RINGSIDE_COLLECTOR, kInterposer}),
    [](const auto& neighbour) { return std::string(neighbour.param.name); });

} // namespace
