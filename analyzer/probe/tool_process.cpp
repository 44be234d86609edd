// SPDX-License-Identifier: Apache-2.0
#include "probe/tool_process.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace ringside::probe {
namespace {

constexpr std::chrono::milliseconds kPause{10};

std::vector<char*> pointersTo(const std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str())); // execvp does not write to them
    }
    pointers.push_back(nullptr);
    return pointers;
}

int exitCodeOf(int status)
{
    constexpr int kSignal = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : kSignal + WTERMSIG(status);
}

std::pair<Descriptor, Descriptor> makePipe(const std::string& program)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(ErrorCode::Io, fmt::format("no pipe for {}: {}", program, std::strerror(errno)));
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Runs in the new process, and calls only what may be called after a fork. The kernel ends the tool with its
/// parent, however that dies: an end that waits for a client would wait for ever.
[[noreturn]] void becomeTool(const std::vector<char*>& words, pid_t parent, int output, int report)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (getppid() == parent && dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(output, STDERR_FILENO) >= 0) {
        execvp(words.front(), words.data());
    }
    const int error = errno;
    static_cast<void>(!write(report, &error, sizeof error));
    _exit(EXIT_FAILURE);
}

} // namespace

ToolProcess::ToolProcess(const std::vector<std::string>& words)
{
    auto [read, write] = makePipe(words.front());
    auto [failure, report] = makePipe(words.front()); // closed by exec
    m_pipe = std::move(read);
    const std::vector<char*> pointers = pointersTo(words);
    const pid_t self = getpid();
    m_pid = fork();
    if (m_pid == 0) {
        becomeTool(pointers, self, write.number(), report.number());
    }
    int error = errno;
    report = Descriptor();
    if (m_pid > 0 && ::read(failure.number(), &error, sizeof error) != sizeof error) {
        return; // it runs
    }
    if (m_pid > 0) {
        waitpid(m_pid, nullptr, 0);
    }
    throw Error(ErrorCode::Io, fmt::format("{} cannot be started: {}", words.front(), std::strerror(error)));
}

ToolProcess::~ToolProcess()
{
    if (m_pid > 0 && !m_exitCode) {
        kill(m_pid, SIGKILL);
        // A driver may hold it for long while it takes a connection down: then it is left to the system.
        static_cast<void>(endsBefore(Clock::now() + std::chrono::seconds(2)));
    }
}

/// Returns false once it has closed its streams. Waits for 10 ms at most.
bool ToolProcess::readMore()
{
    constexpr std::size_t kMostOutput = 64U << 10U;
    pollfd ready{m_pipe.number(), POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(kPause.count())) <= 0) {
        return true;
    }
    std::array<char, 4096> text{};
    const ssize_t count = read(m_pipe.number(), text.data(), text.size());
    if (count > 0) {
        m_output.append(text.data(),
                        std::min(static_cast<std::size_t>(count), kMostOutput - m_output.size()));
    }
    return count > 0;
}

bool ToolProcess::endsBefore(Clock::time_point last)
{
    bool open = true;
    while (!m_exitCode && Clock::now() < last) {
        open = open && readMore();
        int status = 0;
        if (!open && waitpid(m_pid, &status, WNOHANG) == m_pid) {
            m_exitCode = exitCodeOf(status);
        } else if (!open) {
            std::this_thread::sleep_for(kPause);
        }
    }
    return m_exitCode.has_value();
}

} // namespace ringside::probe
