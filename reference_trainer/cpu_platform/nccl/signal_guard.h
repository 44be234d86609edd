// SPDX-License-Identifier: Apache-2.0
// Keeps the application's signals away from the library's threads, and the SIGPIPE of a dead peer away from
// the application.
#pragma once
#include <csignal>
#include <ctime>

namespace ringside::nccl {

/// Threads created during its lifetime start with all signals blocked.
class AllSignalsBlocked final {
public:
    AllSignalsBlocked()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &m_before);
    }
    ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

private:
    sigset_t m_before{};
};

/// Gloo writes to sockets without MSG_NOSIGNAL: blocks SIGPIPE on this thread and consumes signals that
/// arrived meanwhile.
class PipeSignalBlocked final {
public:
    PipeSignalBlocked()
    {
        sigemptyset(&m_pipe);
        sigaddset(&m_pipe, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &m_pipe, &m_before);
        sigset_t pending;
        sigpending(&pending);
        m_wasPending = sigismember(&pending, SIGPIPE) == 1;
    }
    ~PipeSignalBlocked()
    {
        const timespec now{};
        if (!m_wasPending)
            while (sigtimedwait(&m_pipe, nullptr, &now) > 0) {
            }
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    PipeSignalBlocked(const PipeSignalBlocked&) = delete;
    PipeSignalBlocked& operator=(const PipeSignalBlocked&) = delete;

private:
    sigset_t m_pipe{};
    sigset_t m_before{};
    bool m_wasPending = false;
};

} // namespace ringside::nccl
