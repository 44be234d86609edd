// SPDX-License-Identifier: Apache-2.0
#include "probe/tool_process.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

namespace ringside::probe {
namespace {

constexpr std::chrono::milliseconds kPause{10};

std::vector<char*> pointersTo(const std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str())); // posix_spawnp does not write to them
    }
    pointers.push_back(nullptr);
    return pointers;
}

int exitCodeOf(int status)
{
    constexpr int kSignal = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : kSignal + WTERMSIG(status);
}

} // namespace

ToolProcess::ToolProcess(const std::vector<std::string>& words)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(ErrorCode::Io, fmt::format("no pipe for {}: {}", words.front(), std::strerror(errno)));
    }
    m_pipe = Descriptor(ends[0]);
    const Descriptor write(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, write.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, write.number(), STDERR_FILENO);
    const int failed =
        posix_spawnp(&m_pid, words.front().c_str(), &actions, nullptr, pointersTo(words).data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        m_pid = -1;
        throw Error(ErrorCode::Io,
                    fmt::format("{} cannot be started: {}", words.front(), std::strerror(failed)));
    }
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
