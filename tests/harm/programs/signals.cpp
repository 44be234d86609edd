// SPDX-License-Identifier: Apache-2.0
// Programs that live by signals.
#include "program.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace ringside::harm {
namespace {

std::atomic<int> g_arrived{0};
sigjmp_buf g_back;

void countSignal(int /*number*/)
{
    ++g_arrived;
}

void handle(int number, void (*handler)(int), int flags = 0)
{
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, nullptr);
}

/// The dispositions and the mask as the program finds them, and again after it called CUDA.
int printSignals(const Arguments& /*arguments*/)
{
    for (int round = 0; round < 2; ++round) {
        sigset_t blocked;
        sigprocmask(SIG_SETMASK, nullptr, &blocked);
        std::array<char, 160> line{};
        for (int number = 1; number < 65; ++number) {
            struct sigaction action {};
            const bool known = sigaction(number, nullptr, &action) == 0;
            const char* const kind = action.sa_handler == SIG_DFL   ? "d"
                                     : action.sa_handler == SIG_IGN ? "i"
                                                                    : "h";
            line[static_cast<std::size_t>(2 * number - 2)] = known ? *kind : '-';
            line[static_cast<std::size_t>(2 * number - 1)] = sigismember(&blocked, number) == 1 ? 'b' : ' ';
        }
        say(line.data());
        callCuda();
    }
    return 0;
}

/// A signal that is blocked in every thread of the program must not find one of ours to kill or to run in.
int processSignalWaits(const Arguments& /*arguments*/)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN + 3);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    const int failed = expect(callCuda(), "CUDA works");
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGRTMIN + 3);
    sleepMilliseconds(300);
    int got = 0;
    for (int number = 0; sigwait(&set, &number) == 0 && ++got < 3;) {
    }
    return failed + expect(got == 3, "three signals waited");
}

int readSignalDescriptor(const Arguments& /*arguments*/)
{
    callCuda();
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    const int descriptor = signalfd(-1, &set, SFD_CLOEXEC);
    kill(getpid(), SIGINT);
    signalfd_siginfo info{};
    const bool came = read(descriptor, &info, sizeof info) == sizeof info;
    return expect(came && info.ssi_signo == SIGINT, "SIGINT came through the descriptor");
}

int profilingTimer(const Arguments& /*arguments*/)
{
    handle(SIGPROF, countSignal, SA_RESTART);
    const itimerval everyMillisecond{{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &everyMillisecond, nullptr);
    bool works = true;
    for (int i = 0; i < 20000 && g_arrived < 20; ++i) {
        works = callCuda() && works;
    }
    return expect(works, "CUDA works below SIGPROF") + expect(g_arrived >= 20, "SIGPROF comes");
}

/// Signals interrupt a read without SA_RESTART, and only the program's.
int interruptedRead(const Arguments& /*arguments*/)
{
    callCuda();
    handle(SIGALRM, countSignal);
    int ends[2];
    if (pipe(ends) != 0) {
        return 3;
    }
    const itimerval soon{{0, 0}, {0, 300000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    char byte = 0;
    const ssize_t count = read(ends[0], &byte, 1);
    return expect(count == -1 && errno == EINTR && g_arrived == 1,
                  "the alarm ends the read, nothing before it");
}

void jumpBack(int number)
{
    siglongjmp(g_back, number);
}

int recoverFromSegmentationFault(const Arguments& /*arguments*/)
{
    handle(SIGSEGV, jumpBack);
    int faults = 0;
    for (; faults < 5; ++faults) {
        callCuda();
        if (sigsetjmp(g_back, 1) == 0) {
            *reinterpret_cast<volatile int*>(8) = 1; // NOLINT: the fault is the point
            return 1;
        }
    }
    return expect(faults == 5 && callCuda(), "the program goes on after its faults");
}

/// CUDA is called in a handler, on an alternate stack of the least size.
void callInHandler(int /*number*/)
{
    g_arrived = callCuda() ? 1 : -1;
}

int handlerOnSmallStack(const Arguments& /*arguments*/)
{
    static std::array<char, 65536> memory;
    const stack_t stack{memory.data(), 0, memory.size()};
    sigaltstack(&stack, nullptr);
    handle(SIGUSR2, callInHandler, SA_ONSTACK);
    raise(SIGUSR2);
    stack_t now{};
    sigaltstack(nullptr, &now);
    return expect(g_arrived == 1, "CUDA works in the handler") +
           expect(now.ss_sp == memory.data(), "the stack is ours");
}

/// kill_self NUMBER: ends by that signal, after CUDA calls.
int killSelf(const Arguments& arguments)
{
    callCuda();
    say("before the signal");
    kill(getpid(), std::atoi(arguments.at(0)));
    sleepMilliseconds(1000);
    return say("after the signal");
}

int ignoresTermination(const Arguments& /*arguments*/)
{
    handle(SIGTERM, SIG_IGN);
    callCuda();
    kill(getpid(), SIGTERM);
    return say("still here");
}

const Program g_signalPrograms[] = {{"print_signals", printSignals},
                                    {"process_signal_waits", processSignalWaits},
                                    {"read_signal_descriptor", readSignalDescriptor},
                                    {"profiling_timer", profilingTimer},
                                    {"interrupted_read", interruptedRead},
                                    {"recover_from_fault", recoverFromSegmentationFault},
                                    {"handler_on_small_stack", handlerOnSmallStack},
                                    {"kill_self", killSelf},
                                    {"ignores_termination", ignoresTermination}};

} // namespace
} // namespace ringside::harm
