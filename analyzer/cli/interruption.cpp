// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"

#include "trace/read/system_error.h"
#include "trace/read/unfinished.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace ringside::cli {
namespace {

constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};
constexpr char kNoSignalNumber = 0;

int g_pipe[2] = {-1, -1}; // from the signal handler, which may do very little, to the thread

void wakeThread(int signal)
{
    const int saved = errno;
    const char number = static_cast<char>(signal);
    static_cast<void>(!write(g_pipe[1], &number, 1));
    errno = saved;
}

/// Keeps a signal ignored if the caller ignores it, as nohup does.
void handleUnlessIgnored(int signal)
{
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
        action = {};
        action.sa_handler = wakeThread;
        action.sa_flags = SA_RESTART;
        sigaction(signal, &action, nullptr);
    }
}

void waitForSignal()
{
    char number = kNoSignalNumber;
    while (read(g_pipe[0], &number, 1) < 0 && errno == EINTR) {
    }
    if (number != kNoSignalNumber) {
        trace::removeUnfinished();
        signal(number, SIG_DFL);
        kill(getpid(), number);
    }
}

} // namespace

Interruption::Interruption()
{
    if (pipe2(g_pipe, O_CLOEXEC) != 0) {
        throw trace::systemError("cannot create a pipe", errno);
    }
    m_thread = std::thread(waitForSignal);
    for (const int signal : kEnding) {
        handleUnlessIgnored(signal);
    }
}

Interruption::~Interruption()
{
    for (const int number : kEnding) {
        struct sigaction action = {};
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == wakeThread) {
            signal(number, SIG_DFL);
        }
    }
    static_cast<void>(!write(g_pipe[1], &kNoSignalNumber, 1));
    m_thread.join();
    close(g_pipe[0]);
    close(g_pipe[1]);
}

} // namespace ringside::cli
