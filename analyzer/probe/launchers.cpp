// SPDX-License-Identifier: Apache-2.0
#include "probe/launchers.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

namespace ringside::probe {

void Launchers::start(const std::string& launcher, const std::string& command)
{
    const std::array<const char*, 4> words{"sh", "-c", command.c_str(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, "sh", nullptr, nullptr, const_cast<char* const*>(words.data()), environ) != 0) {
        throw Error(ErrorCode::Io, fmt::format("cannot start: {}", command),
                    "Is /bin/sh there, and are there processes left (ulimit -u)?");
    }
    m_children.push_back({child, launcher});
}

std::optional<std::string> Launchers::failure(std::size_t index) const
{
    siginfo_t end{};
    const pid_t pid = m_children[index].pid;
    const bool ended =
        waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == pid;
    if (!ended || (end.si_code == CLD_EXITED && end.si_status == 0)) {
        return std::nullopt;
    }
    return fmt::format("ended with {} {}", end.si_code == CLD_EXITED ? "code" : "signal", end.si_status);
}

bool Launchers::reapAll(int milliseconds)
{
    constexpr int kStepMs = 20;
    for (int waited = 0;; waited += kStepMs) {
        std::erase_if(m_children,
                      [](const Child& child) { return waitpid(child.pid, nullptr, WNOHANG) != 0; });
        if (m_children.empty() || waited >= milliseconds) {
            return m_children.empty();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(kStepMs));
    }
}

void Launchers::signalAll(int signal) const
{
    for (const Child& child : m_children) {
        kill(child.pid, signal);
    }
}

Launchers::~Launchers()
{
    constexpr int kEndPatienceMs = 10'000; // agents end as soon as the leader closes their connections
    constexpr int kSignalPatienceMs = 2'000;
    if (reapAll(kEndPatienceMs)) {
        return;
    }
    signalAll(SIGTERM);
    if (!reapAll(kSignalPatienceMs)) {
        signalAll(SIGKILL);
        static_cast<void>(reapAll(kSignalPatienceMs));
    }
}

} // namespace ringside::probe
