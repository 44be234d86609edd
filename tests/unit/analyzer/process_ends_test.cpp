// SPDX-License-Identifier: Apache-2.0
// `ringside record` sees the ends of real processes that announced themselves, and nothing of others.
#include "cli/process_ends.h"
#include "support/temporary_directory.h"
#include "trace/ring_builder.h"

#include <ringside/trace/gone.h>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>

namespace ringside::test {
namespace {

using cli::ProcessEnds;
using namespace std::chrono_literals;

std::int64_t monotonicNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::uint64_t startTicksOf(pid_t pid)
{
    const std::string text = contentOf("/proc/" + std::to_string(pid) + "/stat");
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string word;
    constexpr int kField = 22 - 2; // proc(5); the first two are the id and the name
    for (int i = 0; i < kField; ++i) {
        fields >> word;
    }
    return std::stoull(word);
}

/// A process that waits to be ended.
class Sleeper final {
public:
    Sleeper() : m_pid(fork())
    {
        if (m_pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); // also where the test crashes
            signal(SIGSEGV, SIG_DFL);         // a sanitizer's handler would end it with a code
            signal(SIGUSR1, [](int) { _exit(0); });
            for (;;) {
                pause();
            }
        }
    }
    ~Sleeper() { end(SIGKILL); }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    [[nodiscard]] pid_t pid() const { return m_pid; }
    void end(int signal)
    {
        if (m_pid > 0) {
            kill(m_pid, signal);
            waitpid(m_pid, nullptr, 0);
            m_pid = -1;
        }
    }

private:
    pid_t m_pid;
};

class ProcessEndsTest : public testing::Test {
protected:
    ProcessEndsTest() { std::filesystem::create_directory(m_run); }
    /// As the collector does: where the rings are, then a ring that says whose it is.
    void announce(const std::string& name, pid_t pid, std::uint64_t startTicks)
    {
        std::ofstream(m_run / (name + ".rings")) << m_shm.string() << "\n";
        RingBuilder ring(trace::RingRole::Definitions, 1, 64);
        ring.header().pid = static_cast<std::uint32_t>(pid);
        ring.header().processStartTicks = startTicks;
        ring.save(m_shm / (name + ".1.ring"));
    }
    void announce(const std::string& name, const Sleeper& process)
    {
        announce(name, process.pid(), startTicksOf(process.pid()));
    }
    [[nodiscard]] std::optional<trace::SeenEnd> gone(const std::string& name) const
    {
        return trace::readGone(m_run / (name + ".gone"));
    }
    /// What was seen of it, or null when nothing was for so long.
    [[nodiscard]] std::optional<trace::SeenEnd> waitForGone(const std::string& name,
                                                            std::chrono::nanoseconds patience = 20s) const
    {
        const auto until = std::chrono::steady_clock::now() + patience;
        while (!gone(name) && std::chrono::steady_clock::now() < until) {
            std::this_thread::sleep_for(1ms);
        }
        return gone(name);
    }
    /// For looks that find nothing to watch.
    void letItLook() const { std::this_thread::sleep_for(400ms); }
    /// Until so many processes are watched.
    void waitForWatched(int processes) const
    {
        const auto until = std::chrono::steady_clock::now() + 60s;
        while (pidfds() < processes) {
            ASSERT_LT(std::chrono::steady_clock::now(), until);
            std::this_thread::sleep_for(5ms);
        }
    }
    [[nodiscard]] static int pidfds()
    {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            std::error_code closed;
            const std::string what = std::filesystem::read_symlink(entry.path(), closed).string();
            count += what.find("pidfd") != std::string::npos ? 1 : 0;
        }
        return count;
    }

    TemporaryDirectory m_directory;
    std::filesystem::path m_run = m_directory / "run.ringside";
    std::filesystem::path m_shm = makeRingFolder(m_directory.path());
};

TEST_F(ProcessEndsTest, areSeenWhenTheyHappenAndInTheirOrder)
{
    Sleeper first;
    Sleeper second;
    announce("node-1", first);
    const ProcessEnds ends(m_run);
    announce("node-2", second); // begins later
    waitForWatched(2);
    const std::int64_t beforeNs = monotonicNs();
    second.end(SIGKILL);
    const auto secondEnd = waitForGone("node-2");
    first.end(SIGTERM);
    const auto firstEnd = waitForGone("node-1");
    const std::int64_t afterNs = monotonicNs();
    ASSERT_TRUE(firstEnd && secondEnd);
    EXPECT_LE(beforeNs, secondEnd->goneNs);
    EXPECT_LT(secondEnd->goneNs, firstEnd->goneNs);
    EXPECT_LE(firstEnd->goneNs, afterNs);
}

/// It announces itself before it makes its first ring.
TEST_F(ProcessEndsTest, ofProcessesThatJustBeginAreSeen)
{
    Sleeper process;
    std::ofstream(m_run / "node-1.rings") << m_shm.string() << "\n";
    const ProcessEnds ends(m_run);
    letItLook();
    announce("node-1", process);
    waitForWatched(1);
    process.end(SIGKILL);
    EXPECT_TRUE(waitForGone("node-1"));
}

/// Until its parent collects it, any kernel tells how it ended.
TEST_F(ProcessEndsTest, areReportedWithTheirSignal)
{
    Sleeper process;
    announce("node-1", process);
    const ProcessEnds ends(m_run);
    waitForWatched(1);
    kill(process.pid(), SIGSEGV);
    const auto end = waitForGone("node-1");
    ASSERT_TRUE(end && end->waitStatus);
    EXPECT_EQ(WTERMSIG(*end->waitStatus), SIGSEGV);
}

/// The kernel says 0, too, to those whom it does not tell; this one was told.
TEST_F(ProcessEndsTest, areReportedIfTheyWereNormal)
{
    Sleeper process;
    announce("node-1", process);
    const ProcessEnds ends(m_run);
    waitForWatched(1);
    kill(process.pid(), SIGUSR1);
    const auto end = waitForGone("node-1");
    ASSERT_TRUE(end);
    EXPECT_EQ(end->waitStatus, 0);
}

TEST_F(ProcessEndsTest, ofManyAreAllSeen)
{
    std::vector<std::unique_ptr<Sleeper>> processes;
    for (int i = 0; i < 100; ++i) {
        processes.push_back(std::make_unique<Sleeper>());
        announce("node-" + std::to_string(i), *processes.back());
    }
    {
        const ProcessEnds ends(m_run);
        waitForWatched(100);
        processes.clear();
    } // looks a last time
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(gone("node-" + std::to_string(i))) << i;
    }
}

TEST_F(ProcessEndsTest, ofAClosedTraceAreNotWrittenDown)
{
    Sleeper process;
    announce("node-1", process);
    {
        const ProcessEnds ends(m_run);
        waitForWatched(1);
        std::filesystem::remove(m_run / "node-1.rings");
        process.end(SIGKILL);
    }
    EXPECT_FALSE(std::filesystem::exists(m_run / "node-1.gone"));
}

TEST_F(ProcessEndsTest, areNotMadeUpOfProcessesThatWereGoneBefore)
{
    Sleeper reused; // has the id, but began at another time
    announce("node-1", reused.pid(), startTicksOf(reused.pid()) - 1);
    announce("node-2", 0x3FFFFFFF, 1); // beyond any process id
    std::ofstream(m_run / "node-3.rings") << "/nowhere\n";
    std::ofstream(m_run / "node-4.rings") << m_shm.string() << "\n";
    std::ofstream(m_shm / "node-4.1.ring") << "no ring";
    {
        const ProcessEnds ends(m_run);
        letItLook();
        reused.end(SIGKILL);
    }
    for (const auto& entry : std::filesystem::directory_iterator(m_run)) {
        EXPECT_NE(entry.path().extension(), ".gone") << entry.path();
    }
}

TEST_F(ProcessEndsTest, needNoDirectory)
{
    std::filesystem::remove_all(m_run);
    const ProcessEnds ends(m_run);
    letItLook();
}

} // namespace
} // namespace ringside::test
