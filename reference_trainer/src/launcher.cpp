// SPDX-License-Identifier: Apache-2.0
#include "launcher.h"

#include "failure.h"
#include "launch_environment.h"
#include "socket.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace ringside::trainer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kOwnWords = std::chrono::seconds(2);   // lets the other ranks print their own messages
constexpr auto kOrderlyEnd = std::chrono::seconds(5); // from SIGTERM to SIGKILL

struct Child {
    unsigned rank = 0;
    pid_t pid = 0;
    bool running = true;
};

[[noreturn]] void becomeRank(unsigned rank, const std::vector<std::string>& arguments, pid_t parent,
                             const sigset_t& signalMask)
{
    // The ranks end with a launcher that is killed. The launcher may have died before this line.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    const std::string number = std::to_string(rank);
    setenv("RANK", number.c_str(), 1);
    setenv("LOCAL_RANK", number.c_str(), 1);
    sigprocmask(SIG_SETMASK, &signalMask, nullptr);
    std::vector<char*> pointers;
    for (const std::string& argument : arguments)
        pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    execv("/proc/self/exe", pointers.data());
    fmt::print(stderr, "ddp_trainer: rank {}: cannot start: {}\n", rank, std::strerror(errno));
    _exit(1);
}

/// The ranks of this host, from start to end.
class LocalRanks final {
public:
    LocalRanks(unsigned ranks, const std::vector<std::string>& arguments);
    int wait();

private:
    void reap();
    void ended(Child& child, int status);
    void report(const Child& child, int status) const;
    void signalAll(int number);
    void forwardSignal(int number);
    [[nodiscard]] bool someRunning() const { return std::ranges::any_of(m_children, &Child::running); }

    sigset_t m_handled{};
    sigset_t m_before{};
    std::vector<Child> m_children;
    int m_code = 0;
    Clock::time_point m_nextMeasure = Clock::time_point::max();
    int m_nextSignal = SIGTERM;
    bool m_stopping = false; ///< the ranks have been sent a signal
};

LocalRanks::LocalRanks(unsigned ranks, const std::vector<std::string>& arguments)
{
    sigemptyset(&m_handled);
    for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP})
        sigaddset(&m_handled, number);
    sigprocmask(SIG_BLOCK, &m_handled, &m_before);
    const pid_t parent = getpid();
    for (unsigned rank = 0; rank < ranks; ++rank) {
        const pid_t pid = fork();
        if (pid == 0)
            becomeRank(rank, arguments, parent, m_before);
        if (pid < 0) {
            const int error = errno;
            signalAll(SIGKILL);
            throw Failure(fmt::format("cannot start rank {}: {}", rank, std::strerror(error)));
        }
        m_children.push_back({.rank = rank, .pid = pid});
    }
}

void LocalRanks::signalAll(int number)
{
    m_stopping = true;
    for (const Child& child : m_children) {
        if (child.running)
            kill(child.pid, number);
    }
}

void LocalRanks::ended(Child& child, int status)
{
    child.running = false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    report(child, status);
    // A killed rank is the reason why others gave up, also if their ends are seen first.
    const bool explainsOthers = WIFSIGNALED(status) && !m_stopping && m_code < 128;
    if (m_code != 0 && !explainsOthers)
        return;
    m_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    m_nextMeasure = Clock::now() + kOwnWords;
}

void LocalRanks::report(const Child& child, int status) const
{
    if (m_stopping && WIFSIGNALED(status))
        fmt::print(stderr, "ddp_trainer: rank {} was stopped\n", child.rank);
    else if (WIFSIGNALED(status))
        fmt::print(stderr, "ddp_trainer: rank {} was ended by signal {} ({}){}\n", child.rank,
                   WTERMSIG(status), strsignal(WTERMSIG(status)),
                   m_code == 0 && someRunning() ? "; stopping the others" : "");
    else if (m_code == 0) // later ranks have printed their own reason
        fmt::print(stderr, "ddp_trainer: rank {} ended with code {}{}\n", child.rank, WEXITSTATUS(status),
                   someRunning() ? "; stopping the others" : "");
}

/// Passes a signal of the launcher on to the ranks.
void LocalRanks::forwardSignal(int number)
{
    fmt::print(stderr, "ddp_trainer: stopping the ranks: signal {} ({})\n", number, strsignal(number));
    if (m_code == 0)
        m_code = 128 + number;
    signalAll(number);
    m_nextMeasure = std::min(m_nextMeasure, Clock::now() + kOrderlyEnd);
}

void LocalRanks::reap()
{
    // Waits for each child by its pid: another library in this process may have children of its own.
    for (Child& child : m_children) {
        int status = 0;
        if (child.running && waitpid(child.pid, &status, WNOHANG) == child.pid)
            ended(child, status);
    }
}

int LocalRanks::wait()
{
    for (reap(); someRunning(); reap()) {
        const timespec tick{.tv_sec = 0, .tv_nsec = 200'000'000};
        const int number = sigtimedwait(&m_handled, nullptr, &tick);
        if (number > 0 && number != SIGCHLD)
            forwardSignal(number);
        if (Clock::now() >= m_nextMeasure) {
            signalAll(m_nextSignal);
            m_nextSignal = SIGKILL;
            m_nextMeasure = Clock::now() + kOrderlyEnd;
        }
    }
    sigprocmask(SIG_SETMASK, &m_before, nullptr);
    return m_code;
}

} // namespace

int launchRanks(unsigned ranks, const std::vector<std::string>& arguments)
{
    setenv("WORLD_SIZE", std::to_string(ranks).c_str(), 1);
    setenv("MASTER_ADDR", "127.0.0.1", 1); // overrides a value meant for a job over several hosts
    if (!environmentVariable("MASTER_PORT"))
        setenv("MASTER_PORT", std::to_string(freeLocalPort()).c_str(), 1);
    return LocalRanks(ranks, arguments).wait();
}

} // namespace ringside::trainer
