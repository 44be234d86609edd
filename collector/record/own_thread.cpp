// SPDX-License-Identifier: Apache-2.0
#include "record/own_thread.h"

#include "record/message.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>
#include <new>

namespace ringside::collector {
namespace {

struct Start {
    void* (*main)(void*);
    void* argument;
};

/// Of the threads that run; 0: a free place. A thread for which there is none is not told from others.
std::array<std::atomic<pid_t>, 16> g_ownThreads{};

class Listed final {
public:
    Listed()
    {
        for (std::atomic<pid_t>& place : g_ownThreads) {
            pid_t none = 0;
            if (place.compare_exchange_strong(none, gettid())) {
                m_place = &place;
                return;
            }
        }
    }
    ~Listed()
    {
        if (m_place != nullptr) {
            m_place->store(0);
        }
    }
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;

private:
    std::atomic<pid_t>* m_place = nullptr;
};

// An exception that leaves a thread's first function ends the program. It is caught here too because
// handlers further inside allocate and fail when memory is out.
void* runOwnThread(void* pointer)
try {
    const std::unique_ptr<Start> start(static_cast<Start*>(pointer));
    const Listed listed;
    return start->main(start->argument);
} catch (...) {
    say(Talk::Always, "a thread of the recording ended: memory is out; the job goes on");
    return nullptr;
}

} // namespace

bool startOwnThread(pthread_t& thread, void* (*main)(void*), void* argument)
{
    std::unique_ptr<Start> start(new (std::nothrow) Start{main, argument});
    if (start == nullptr) {
        errno = ENOMEM;
        return false;
    }
    sigset_t all; // the thread inherits the mask
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    constexpr std::size_t kStackBytes = std::size_t{1} << 20;
    pthread_attr_setstacksize(&attributes, kStackBytes);
    const int error = pthread_create(&thread, &attributes, &runOwnThread, start.get());
    if (error == 0) {
        static_cast<void>(start.release()); // the thread's
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return error == 0;
}

bool isOwnThread(pid_t tid)
{
    return std::any_of(g_ownThreads.begin(), g_ownThreads.end(),
                       [tid](const std::atomic<pid_t>& place) { return place.load() == tid; });
}

// Polls, because ThreadSanitizer does not know pthread_clockjoin_np.
bool joinOwnThread(pthread_t thread, const timespec& until)
{
    constexpr long kLongestPauseNs = 1'000'000;
    timespec pause{0, 10'000};
    while (pthread_tryjoin_np(thread, nullptr) != 0) {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec)) {
            return false;
        }
        nanosleep(&pause, nullptr);
        pause.tv_nsec = std::min(2 * pause.tv_nsec, kLongestPauseNs);
    }
    return true;
}

} // namespace ringside::collector
