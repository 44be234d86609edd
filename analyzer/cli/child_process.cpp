// SPDX-License-Identifier: Apache-2.0
#include "cli/child_process.h"

#include "cli/command.h"
#include "output/messages.h"
#include "trace/read/system_error.h"
#include "trace/shell_word.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ringside::cli {
namespace {

/// Every signal that a user or a batch system may send to a command, also SIGXCPU, SIGPWR and real-time
/// signals. Excluded are signals that cannot be caught, signals about this process itself (its child, its
/// faults), and signals that stop a background process that uses the terminal.
bool isForwarded(int signal)
{
    constexpr std::array kOurs = {SIGKILL, SIGSTOP, SIGCHLD, SIGSEGV, SIGBUS, SIGFPE,
                                  SIGILL,  SIGSYS,  SIGTRAP, SIGTTIN, SIGTTOU};
    const bool libcs = signal > SIGSYS && signal < SIGRTMIN;
    return !libcs && std::find(kOurs.begin(), kOurs.end(), signal) == kOurs.end();
}

template <class Each>
void forEachForwarded(Each each)
{
    for (int signal = 1; signal <= SIGRTMAX; ++signal) {
        if (isForwarded(signal)) {
            each(signal);
        }
    }
}

volatile sig_atomic_t g_child = 0;

/// A signal from the terminal (SI_KERNEL) reaches the command by itself, because it is in the same process
/// group. Only a stop is repeated here, because a shell waits for this process. A signal that this process
/// raised itself (SIGPIPE, abort) is not forwarded.
void forward(int signal, siginfo_t* info, void*)
{
    const int saved = errno;
    if (info->si_code == SI_KERNEL) {
        signal == SIGTSTP ? raise(SIGSTOP) : 0;
    } else if (info->si_pid != getpid() && g_child > 0) {
        kill(g_child, signal);
    }
    errno = saved;
}

class ForwardSignals final {
public:
    /// Blocks the signals until the command's id is known, so that none is lost after fork. SIGCHLD stays
    /// blocked and has its default action: this class waits for it, and an ignored SIGCHLD would never
    /// arrive.
    ForwardSignals()
    {
        sigset_t all;
        sigemptyset(&all);
        sigaddset(&all, SIGCHLD);
        forEachForwarded([&](int signal) { sigaddset(&all, signal); });
        sigprocmask(SIG_BLOCK, &all, &m_mask);
        struct sigaction usual = {};
        usual.sa_handler = SIG_DFL;
        sigaction(SIGCHLD, &usual, &m_childEnds);
    }
    ForwardSignals(const ForwardSignals&) = delete;
    ForwardSignals& operator=(const ForwardSignals&) = delete;

    void start(pid_t child)
    {
        g_child = child;
        struct sigaction action = {};
        action.sa_sigaction = forward;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        forEachForwarded([&](int signal) { sigaction(signal, &action, nullptr); });
        sigset_t mask = m_mask;
        sigaddset(&mask, SIGCHLD);
        sigprocmask(SIG_SETMASK, &mask, nullptr);
    }
    /// Called in the command's process: restores the caller's handlers and mask.
    void restore() const
    {
        sigaction(SIGCHLD, &m_childEnds, nullptr);
        sigprocmask(SIG_SETMASK, &m_mask, nullptr);
    }

private:
    sigset_t m_mask{};
    struct sigaction m_childEnds = {};
};

[[noreturn]] void become(const std::vector<std::string>& command, int errorPipe)
{
    std::vector<char*> arguments;
    for (const std::string& word : command) {
        arguments.push_back(const_cast<char*>(word.c_str())); // execvp does not write to them
    }
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    const int error = errno;
    const ssize_t written = write(errorPipe, &error, sizeof error);
    _exit(written == sizeof error ? kNotFound : kRecordFailed);
}

/// Returns a likely cause, or what to do; empty: the system's error text is enough.
std::string_view adviceFor(const std::string& program, int error)
{
    if (error == EACCES) {
        return "Is it a program (chmod +x)? A script can also be given to its interpreter: python train.py.";
    }
    if (error != ENOENT) {
        return {};
    }
    if (access(program.c_str(), F_OK) == 0) {
        return "The file exists. Missing is the interpreter that it names: in its first line or as its "
               "loader.";
    }
    if (program.find(' ') != std::string::npos) {
        return "The command is one word. Give the command and its arguments without quotes around all of "
               "them.";
    }
    return program.find('/') == std::string::npos
               ? "No folder of PATH has it. Check its name, or give its path."
               : "Check its path.";
}

/// Does not consume the child's stop events: `meanwhile` may be tracing it.
bool hasEnded(pid_t child)
{
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        return errno != EINTR; // waitpid reports the error
    }
    return info.si_pid == child &&
           (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED);
}

CommandEnd waitFor(pid_t child, const std::function<void()>& meanwhile)
{
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    while (!hasEnded(child)) {
        meanwhile();
        constexpr timespec kPass{0, 250'000'000};
        sigtimedwait(&ended, nullptr, &kPass); // SIGCHLD is blocked, so that an earlier one is still pending
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            throw trace::systemError("cannot wait for the command", errno);
        }
    }
    constexpr int kOfShell = 128;
    return WIFSIGNALED(status) ? CommandEnd{kOfShell + WTERMSIG(status), WTERMSIG(status)}
                               : CommandEnd{WEXITSTATUS(status), 0};
}

} // namespace

CommandEnd runCommand(const std::vector<std::string>& command, const std::function<void()>& meanwhile)
{
    int errorPipe[2];
    if (pipe2(errorPipe, O_CLOEXEC) != 0) {
        throw trace::systemError("cannot create a pipe", errno);
    }
    ForwardSignals signals;
    const pid_t child = fork();
    if (child < 0) {
        throw trace::systemError("cannot create a process", errno);
    }
    if (child == 0) {
        signals.restore();
        become(command, errorPipe[1]);
    }
    signals.start(child);
    close(errorPipe[1]);
    int error = 0;
    ssize_t got = 0;
    while ((got = read(errorPipe[0], &error, sizeof error)) < 0 && errno == EINTR) {
    }
    close(errorPipe[0]);
    const CommandEnd end = waitFor(child, meanwhile);
    if (got != sizeof error) {
        return end;
    }
    const std::string_view advice = adviceFor(command.front(), error);
    output::printMessage("ringside: error: cannot start {}: {}{}{}\n", trace::shellWord(command.front()),
                         std::strerror(error), advice.empty() ? "" : "\n  ", advice);
    return {error == ENOENT ? kNotFound : kNotExecutable, 0};
}

void endBySignal(int signal)
{
    std::fflush(nullptr);
    prctl(PR_SET_DUMPABLE, 0); // a core handler runs even with a limit of 0
    const rlimit none{};
    setrlimit(RLIMIT_CORE, &none);
    struct sigaction byDefault = {};
    byDefault.sa_handler = SIG_DFL;
    sigaction(signal, &byDefault, nullptr);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    raise(signal);
}

} // namespace ringside::cli
