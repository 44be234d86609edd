// SPDX-License-Identifier: Apache-2.0
// Looking into another process from outside: what is found, and that the process notices nothing lasting.
#include "stacks/bounded_child.h"
#include "stacks/collect.h"
#include "stacks/thread_snapshot.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

// Functions whose names the stacks must show.
extern "C" __attribute__((noinline)) int waitsForTheEnd(int from)
{
    char byte = 0;
    while (read(from, &byte, 1) < 0) {
    }
    return byte;
}
extern "C" __attribute__((noinline)) void otherThreadPauses()
{
    for (;;) {
        pause();
    }
}

namespace {

using namespace ringside;
using namespace ringside::stacks;
using namespace std::chrono_literals;

volatile sig_atomic_t g_signals = 0;

/// A child with two threads that ends with the exit code it is told.
class Child {
public:
    Child()
    {
        std::array<int, 2> told{};
        EXPECT_EQ(pipe(told.data()), 0);
        m_pid = fork();
        if (m_pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            signal(SIGRTMIN, [](int) { g_signals = g_signals + 1; });
            std::thread(otherThreadPauses).detach();
            const int code = waitsForTheEnd(told[0]);
            _exit(code == 'n' ? g_signals : code);
        }
        m_tell = told[1];
        for (int i = 0; i < 10'000 && !(hasThreadIn(SYS_read) && hasThreadIn(SYS_pause)); ++i) {
            usleep(1000);
        }
    }
    ~Child()
    {
        if (m_pid > 0) {
            kill(m_pid, SIGKILL);
            waitpid(m_pid, nullptr, 0);
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    [[nodiscard]] pid_t pid() const { return m_pid; }
    int end(char code)
    {
        EXPECT_EQ(write(m_tell, &code, 1), 1);
        int status = 0;
        EXPECT_EQ(waitpid(m_pid, &status, 0), m_pid);
        m_pid = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    [[nodiscard]] std::string status(const std::string& field) const
    {
        std::ifstream file("/proc/" + std::to_string(m_pid) + "/status");
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with(field + ":\t")) {
                return line.substr(field.size() + 2);
            }
        }
        return {};
    }

private:
    [[nodiscard]] bool hasThreadIn(long systemCall) const
    {
        std::error_code gone;
        for (const auto& thread :
             std::filesystem::directory_iterator("/proc/" + std::to_string(m_pid) + "/task", gone)) {
            long number = -1;
            if (std::ifstream(thread.path() / "syscall") >> number && number == systemCall) {
                return true;
            }
        }
        return false;
    }

    pid_t m_pid = 0;
    int m_tell = -1;
};

std::string textOf(const std::vector<trace::StackRow>& rows)
{
    std::string text;
    for (const trace::StackRow& row : rows) {
        text.append(row.source.text()).append(" ").append(row.text).append("\n");
    }
    return text;
}

TEST(Stacks, showEveryThreadAndLeaveTheProcessAsItWas)
{
    Child child;
    const CollectedStacks stacks = collectStacks(child.pid(), 3);
    const std::string text = textOf(stacks.rows);
    EXPECT_NE(text.find("native waitsForTheEnd+"), std::string::npos) << text;
    EXPECT_NE(text.find("native otherThreadPauses+"), std::string::npos) << text;
    EXPECT_TRUE(stacks.stillAttached.empty());
    for (const trace::StackRow& row : stacks.rows) {
        EXPECT_EQ(row.hang, 3);
    }
    EXPECT_EQ(child.status("TracerPid"), "0");
    EXPECT_EQ(child.end(7), 7);
}

TEST(Stacks, aStoppedProcessStaysStopped)
{
    Child child;
    kill(child.pid(), SIGSTOP);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child.pid()), &info, WSTOPPED | WNOWAIT);
    const std::string text = textOf(collectStacks(child.pid(), std::nullopt).rows);
    EXPECT_NE(text.find("waitsForTheEnd+"), std::string::npos) << text;
    for (int i = 0; i < 1000 && !child.status("State").starts_with("T"); ++i) {
        usleep(1000); // a thread that was let go stops again in its own time
    }
    EXPECT_TRUE(child.status("State").starts_with("T")) << child.status("State");
    kill(child.pid(), SIGCONT);
    EXPECT_EQ(child.end(5), 5);
}

TEST(Stacks, noSignalOfTheProcessIsLost)
{
    constexpr int kSignals = 100;
    Child child;
    std::thread sender([pid = child.pid()] {
        for (int i = 0; i < kSignals; ++i) {
            while (sigqueue(pid, SIGRTMIN, {}) != 0) {
                usleep(100);
            }
            usleep(100);
        }
    });
    for (int i = 0; i < 50; ++i) {
        const ProcessSnapshot process = snapshotThreads(child.pid(), 5s);
        EXPECT_TRUE(process.stillAttached.empty());
    }
    sender.join();
    EXPECT_EQ(child.end('n'), kSignals);
}

TEST(Stacks, aProcessThatIsGoneIsSaidToBe)
{
    Child child;
    const pid_t pid = child.pid();
    child.end(0);
    const std::string text = textOf(collectStacks(pid, std::nullopt).rows);
    EXPECT_NE(text.find("note native stacks: process"), std::string::npos) << text;
}

TEST(PythonStacks, areKeptAsThePrinterHasThem)
{
    const auto rows =
        parsePythonDump("Process 12: python train.py\nPython v3.11.2\n\n"
                        "Thread 4711 (idle): \"MainThread\"\n    wait (threading.py:320)\n"
                        "    train (train.py:7)\nThread 0x1F (active): \"x\"\n    run (a.py:1)\n",
                        {12, {{0x1F, 31}}});
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[0].source.text(), "note");
    EXPECT_EQ(rows[2].tid, 4711);
    EXPECT_EQ(rows[2].frame, 0);
    EXPECT_EQ(rows[2].text, "wait (threading.py:320)");
    EXPECT_EQ(rows[2].thread, "4711 (idle): \"MainThread\"");
    EXPECT_EQ(rows[3].frame, 1);
    EXPECT_EQ(rows[4].tid, 31);
    EXPECT_EQ(rows[4].frame, 0);
}

/// What stands in for py-spy in PATH.
class PySpy {
public:
    explicit PySpy(const std::string& script)
    {
        std::ofstream(m_folder / "py-spy") << "#!/bin/sh\n" << script << '\n';
        std::filesystem::permissions(m_folder / "py-spy", std::filesystem::perms::owner_all);
        setenv("PATH", (m_folder.path().string() + ":" + m_path).c_str(), 1);
    }
    ~PySpy() { setenv("PATH", m_path.c_str(), 1); }
    PySpy(const PySpy&) = delete;
    PySpy& operator=(const PySpy&) = delete;

private:
    ringside::test::TemporaryDirectory m_folder;
    std::string m_path = getenv("PATH");
};

#if defined(__x86_64__)
// py-spy knows no kernel ids of threads of a Python before 3.11 that it does not stop.
TEST(PythonStacks, ofAnOlderPythonAreFoundByTheHandleOfTheirThread)
{
    Child child; // its first thread has the handle of the one that forked
    std::array<char, 32> handle{};
    std::snprintf(handle.data(), handle.size(), "0x%lX", pthread_self());
    const PySpy spy(std::string("echo 'Thread ") + handle.data() +
                    " (idle): \"trainer\"'; echo '    wait (data.py:42)'");
    const auto rows = collectStacks(child.pid(), std::nullopt).rows;
    const auto python = std::ranges::find(rows, trace::StackSource("python"), &trace::StackRow::source);
    ASSERT_NE(python, rows.end());
    EXPECT_EQ(python->tid, child.pid());
    EXPECT_EQ(python->text, "wait (data.py:42)");
}
#endif

TEST(PythonStacks, ofAnUnknownThreadBelongToTheProcess)
{
    const auto rows = parsePythonDump("Thread 0x7F12 (idle): \"MainThread\"\n    a (a.py:1)\n"
                                      "Thread 0x7F34 (idle): \"other\"\n    b (b.py:1)\n",
                                      {12, {}});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].tid, 12);
    EXPECT_EQ(rows[1].tid, 0);
}

TEST(PythonStacks, thatAreRefusedSayWhatWouldHelp)
{
    Child child;
    const PySpy spy(
        "echo 'Permission Denied: Try running again with elevated permissions by going '\\''sudo !!'\\' >&2;"
        " exit 1");
    const auto rows = collectStacks(child.pid(), std::nullopt).rows;
    const std::string text = textOf(rows);
    EXPECT_NE(text.find("py-spy may not read the process. If kernel.yama.ptrace_scope"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("sudo"), std::string::npos) << text;
}

TEST(BoundedChild, returnsOutputAndExitStatus)
{
    const auto say = [](const char* text, int code) {
        return runBounded(
            [=] {
                EXPECT_GT(write(STDOUT_FILENO, text, 2), 0);
                return code;
            },
            30s);
    };
    EXPECT_EQ(say("ab", 0).output, "ab");
    EXPECT_EQ(say("ab", 0).error, "");
    EXPECT_EQ(say("cd", 9).error, "failed with exit code 9");
    EXPECT_EQ(runBounded([] { return raise(SIGKILL); }, 30s).error, "died of signal 9");
}

TEST(BoundedChild, isEndedWhenItTakesTooLong)
{
    const BoundedResult result = runBounded(
        [] {
            EXPECT_GT(write(STDOUT_FILENO, "begun", 5), 0);
            for (;;) {
                pause();
            }
            return 0;
        },
        1s);
    EXPECT_EQ(result.error, "did not finish within 1 s");
}

TEST(BoundedChild, isEndedWhenItClosesItsOutputAndStays)
{
    const BoundedResult result = runBounded(
        [] {
            close(STDOUT_FILENO);
            close(STDERR_FILENO);
            for (;;) {
                pause();
            }
            return 0;
        },
        1s);
    EXPECT_EQ(result.error, "did not finish within 1 s");
}

TEST(BoundedChild, leavesNothingBehind)
{
    const BoundedResult result = runBounded(
        [] {
            const pid_t grandchild = fork();
            if (grandchild == 0) {
                for (;;) {
                    pause(); // holds our end of the pipe
                }
            }
            const std::string id = std::to_string(grandchild) + "\n";
            EXPECT_GT(write(STDOUT_FILENO, id.data(), id.size()), 0);
            return 0;
        },
        1s);
    const auto grandchild = static_cast<pid_t>(std::stol(result.output));
    const auto isAlive = [grandchild] {
        std::ifstream file("/proc/" + std::to_string(grandchild) + "/stat");
        std::string stat;
        return std::getline(file, stat) && stat.find(") Z ") == std::string::npos;
    };
    while (isAlive()) { // the test's own time limit ends it
        std::this_thread::sleep_for(1ms);
    }
}

} // namespace
