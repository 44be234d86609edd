// SPDX-License-Identifier: Apache-2.0
// Processes that come from processes, in every way that Linux has.
#include "program.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>

namespace ringside::harm {
namespace {

/// Waits for a child and says how it ended.
int told(pid_t child)
{
    int status = -1;
    if (child <= 0 || waitpid(child, &status, 0) != child) {
        return say("no such child") + 1;
    }
    std::array<char, 64> line{};
    std::snprintf(line.data(), line.size(), "child ended with status %d", status);
    return say(line.data());
}

/// Calls CUDA before and in a forked child.
int forkBothCall(const Arguments& /*arguments*/)
{
    const int failed = expect(callCuda(), "CUDA works before the fork");
    const pid_t child = fork();
    if (child == 0) {
        std::exit(say("in the child"));
    }
    return failed + told(child) + expect(callCuda(), "CUDA works after the fork");
}

/// The parent has never called CUDA when it forks, as a data loader's parent or a launcher.
int forkThenCall(const Arguments& /*arguments*/)
{
    for (int i = 0; i < 4; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            std::exit(expect(callCuda(), "CUDA works in the child"));
        }
        told(child);
    }
    return say("done");
}

int forkWhileThreadsCall(const Arguments& /*arguments*/)
{
    bool works = true;
    std::thread busy([&] {
        for (int i = 0; i < 300; ++i) {
            works = callCuda() && works;
        }
    });
    int failed = 0;
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            _exit(7);
        }
        failed += told(child);
    }
    busy.join();
    return failed + expect(works, "CUDA works beside the forks");
}

int vforkThenExec(const Arguments& /*arguments*/)
{
    callCuda();
    const pid_t child = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork): it is what programs do
    if (child == 0) {
        execlp("sh", "sh", "-c", "echo executed; exit 5", nullptr);
        _exit(127);
    }
    return told(child);
}

/// As launchers of sandboxes do: the child gives up rights before it becomes a program, the parent keeps its
/// own.
int vforkThenRestrict(const Arguments& /*arguments*/)
{
    callCuda();
    const pid_t child = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork): it is what programs do
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        execlp("sh", "sh", "-c", "echo restricted; exit 5", nullptr);
        _exit(127);
    }
    const int result = told(child);
    for (int i = 0; i < 40; ++i) {
        callCuda();
    }
    return result;
}

int posixSpawn(const Arguments& /*arguments*/)
{
    callCuda();
    std::array<const char*, 4> words{"sh", "-c", "echo spawned; exit 6", nullptr};
    pid_t child = 0;
    posix_spawnp(&child, "sh", nullptr, nullptr, const_cast<char* const*>(words.data()), environ);
    return told(child);
}

int inClone(void* /*argument*/)
{
    return say("in the clone") + 9;
}

/// A raw clone: no handler of pthread_atfork runs.
int rawClone(const Arguments& /*arguments*/)
{
    callCuda();
    static std::array<char, 262144> stack;
    return told(clone(inClone, stack.data() + stack.size(), SIGCHLD, nullptr)) +
           expect(callCuda(), "CUDA works");
}

/// As a daemon starts: two forks, a session of its own, all descriptors closed, a file written in the
/// background.
int daemonise(const Arguments& arguments)
{
    callCuda();
    if (fork() != 0) {
        _exit(0);
    }
    setsid();
    if (fork() != 0) {
        _exit(0);
    }
    syscall(SYS_close_range, 0U, ~0U, 0U);
    const int file = open("daemon.txt", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const bool works = !arguments.empty() && callCuda();
    sleepMilliseconds(400);
    dprintf(file, "from descriptor %d, CUDA %d\n", file, works ? 1 : 0);
    _exit(0);
}

/// A subreaper gets the grandchildren.
int subreaper(const Arguments& /*arguments*/)
{
    callCuda();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            sleepMilliseconds(50);
            _exit(4);
        }
        _exit(3);
    }
    int failed = told(child);
    int status = 0;
    failed += expect(wait(&status) > 0 && WEXITSTATUS(status) == 4, "the grandchild comes to the subreaper");
    return failed + expect(wait(&status) < 0, "nobody else comes");
}

/// Counts children that it did not start.
int noForeignChildren(const Arguments& /*arguments*/)
{
    callCuda();
    sleepMilliseconds(300);
    return expect(waitpid(-1, nullptr, WNOHANG) == -1, "a process that started no child has none");
}

int execItself(const Arguments& arguments)
{
    callCuda();
    if (arguments.size() == 3) {
        return say("executed three times");
    }
    const char* words[] = {
        "harm", "exec_itself", "x", arguments.empty() ? nullptr : "x", arguments.size() < 2 ? nullptr : "x",
        nullptr};
    execvp("harm", const_cast<char* const*>(words));
    return 126;
}

const Program g_processPrograms[] = {{"fork_both_call", forkBothCall},
                                     {"fork_then_call", forkThenCall},
                                     {"fork_while_threads_call", forkWhileThreadsCall},
                                     {"vfork_then_exec", vforkThenExec},
                                     {"vfork_then_restrict", vforkThenRestrict},
                                     {"posix_spawn", posixSpawn},
                                     {"raw_clone", rawClone},
                                     {"daemonise", daemonise},
                                     {"subreaper", subreaper},
                                     {"no_foreign_children", noForeignChildren},
                                     {"exec_itself", execItself}};

} // namespace
} // namespace ringside::harm
