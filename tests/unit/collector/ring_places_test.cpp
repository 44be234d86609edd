// SPDX-License-Identifier: Apache-2.0
// Where rings lie when memory is scarce or the run directory is far away: whole programs in a mount namespace
// with a /dev/shm of its own.
#include "recorded_run.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

using ringside::test::RecordedRun;

namespace {

/// Runs `test` where /dev/shm has that size; false where that is not allowed. Its failures are this test's.
template <class Test>
bool withMemoryOf(const char* size, Test test)
{
    constexpr int kNotAllowed = 77;
    const pid_t child = fork();
    if (child == 0) {
        const bool mounted =
            unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
            mount("none", "/dev/shm", "tmpfs", 0, (std::string("size=") + size).c_str()) == 0;
        if (mounted) {
            test();
        }
        std::fflush(nullptr);
        _exit(!mounted ? kNotAllowed : testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(status == 0 || status == kNotAllowed << 8) << "status " << status;
    return status != kNotAllowed << 8;
}

void expectAllCalls(const RecordedRun& run)
{
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.programOutput(), "4000 calls\n");
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 4001);
    EXPECT_EQ(run.number("SELECT coalesce(sum(records), 0) FROM dropped"), 0);
}

TEST(RingPlaces, areSmallerInTheMemoryThatDockerGivesAndThatIsSaid)
{
    const bool allowed = withMemoryOf("64m", [] {
        const RecordedRun run({"recorded_away"});
        expectAllCalls(run);
        const std::string said = run.text("SELECT message FROM issue WHERE id = 'rings_small'");
        EXPECT_NE(said.find("1024 KiB instead of 4096"), std::string::npos) << said;
        EXPECT_EQ(run.number("SELECT count(*) FROM issue WHERE id = 'rings_on_disk'"), 0);
    });
    if (!allowed) {
        GTEST_SKIP() << "no right to mount a small file system";
    }
}

TEST(RingPlaces, areADiskWhereThereIsNoMemoryAndThatIsSaid)
{
    const bool allowed = withMemoryOf("4k", [] {
        const RecordedRun run({"recorded_away"});
        expectAllCalls(run);
        EXPECT_NE(
            run.text("SELECT message FROM issue WHERE id = 'rings_on_disk'").find("no room in /dev/shm"),
            std::string::npos);
    });
    if (!allowed) {
        GTEST_SKIP() << "no right to mount a small file system";
    }
}

// With memory for rings, and without: then they lie on a disk of this host, never on the network.
TEST(RingPlaces, areNeverBehindAFileServerThatIsGone)
{
    const RecordedRun::Environment slow{"LD_PRELOAD=" RINGSIDE_FAKES
                                        "/libfake_slow_network.so:" RINGSIDE_COLLECTOR};
    expectAllCalls(RecordedRun({"recorded_away"}, RecordedRun::Collector::Preloaded, slow));
    RecordedRun::Environment disk = slow;
    disk.emplace_back("SLOW_DISK=1"); // the trace lies there, and the drain thread waits
    expectAllCalls(RecordedRun({"recorded_away"}, RecordedRun::Collector::Preloaded, disk));
    const bool allowed = withMemoryOf("4k", [&slow] {
        const RecordedRun run({"recorded_away"}, RecordedRun::Collector::Preloaded, slow);
        expectAllCalls(run);
        const std::string said = run.text("SELECT message FROM issue WHERE id = 'rings_on_disk'");
        EXPECT_EQ(said.find(run.directory().string()), std::string::npos) << said;
    });
    if (!allowed) {
        GTEST_SKIP() << "no right to mount a small file system";
    }
}

} // namespace
