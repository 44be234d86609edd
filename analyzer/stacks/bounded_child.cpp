// SPDX-License-Identifier: Apache-2.0
#include "stacks/bounded_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>

namespace ringside::stacks {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void runWork(const std::function<int()>& work, int output)
{
    setpgid(0, 0); // so that its own children can be ended with it
    for (int signal = 1; signal < NSIG; ++signal) {
        ::signal(signal, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    int code = 1;
    try {
        code = work();
    } catch (...) {
        code = 1;
    }
    std::fflush(stdout);
    _exit(code);
}

/// Reads to the end. Returns false if the deadline or the size limit came first.
bool readAll(int from, std::string& output, Clock::time_point deadline)
{
    constexpr std::size_t kMost = std::size_t{4} << 20;
    std::array<char, 65536> part{};
    while (output.size() < kMost) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd ready{from, POLLIN, 0};
        const int found = left.count() > 0 ? poll(&ready, 1, static_cast<int>(left.count())) : 0;
        if (found == 0) {
            return false;
        }
        const ssize_t got = found > 0 ? read(from, part.data(), part.size()) : -1;
        if (got == 0) {
            return true;
        }
        if (got < 0 && errno != EINTR) {
            return false;
        }
        output.append(part.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    return false;
}

bool hasEnded(pid_t child)
{
    siginfo_t info{};
    const int result = waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    return result != 0 || info.si_pid == child;
}

/// Waits until the deadline at most, then kills the child and its group. Returns null if it had to be killed.
std::optional<int> collect(pid_t child, Clock::time_point deadline)
{
    while (!hasEnded(child) && Clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const bool inTime = hasEnded(child);
    kill(-child, SIGKILL); // its group id is not reused before it is collected
    kill(child, SIGKILL);  // if it has not made a group yet
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return inTime ? std::optional(status) : std::nullopt;
}

} // namespace

BoundedResult runBounded(const std::function<int()>& work, std::chrono::milliseconds limit)
{
    BoundedResult result;
    const Clock::time_point deadline = Clock::now() + limit;
    int ends[2];
    std::fflush(nullptr); // buffered output must not be printed twice
    if (pipe2(ends, O_CLOEXEC) != 0) {
        result.error = std::strerror(errno);
        return result;
    }
    const pid_t child = fork();
    if (child == 0) {
        runWork(work, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        result.error = std::strerror(errno);
    } else {
        const bool whole = readAll(ends[0], result.output, deadline);
        const auto status = collect(child, whole ? deadline : Clock::now());
        if (!whole || !status) {
            result.error = fmt::format("did not finish within {} s", limit.count() / 1000);
        } else if (WIFSIGNALED(*status)) {
            result.error = fmt::format("died of signal {}", WTERMSIG(*status));
        } else if (WEXITSTATUS(*status) != 0) {
            result.error = fmt::format("failed with exit code {}", WEXITSTATUS(*status));
        }
    }
    close(ends[0]);
    return result;
}

} // namespace ringside::stacks
