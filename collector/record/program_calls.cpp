// SPDX-License-Identifier: Apache-2.0
#include "record/program_calls.h"

#include "record/own_descriptors.h"
#include "record/own_thread.h"
#include "record/thread_state.h"

#include <semaphore.h>

#include <exception>
#include <memory>
#include <new>

namespace ringside::collector {
namespace {

struct Call {
    const std::function<void()>& work;
    std::exception_ptr failure = nullptr;
};

// One call at a time: there is one drain thread. Static, because recording may begin before the
// library's initializers run.
struct Calls {
    pthread_t thread{};
    bool started = false;
    sem_t asked{};
    sem_t done{};
    Call* call = nullptr; ///< null: no more will come
};
constinit Calls g_calls;

void wait(sem_t& semaphore)
{
    while (sem_wait(&semaphore) != 0) { // interrupted
    }
}

void* serveCalls(void*)
{
    pthread_setname_np(pthread_self(), "ringside-calls");
    const Inside inside; // what we ask of CUDA is not the program's doing
    for (wait(g_calls.asked); g_calls.call != nullptr; wait(g_calls.asked)) {
        try {
            g_calls.call->work();
        } catch (...) {
            g_calls.call->failure = std::current_exception();
        }
        sem_post(&g_calls.done);
    }
    return nullptr;
}

struct Loaded {
    bool hasLoader;
    pthread_t loader;
    void* (*main)(void*);
    void* argument;
};

// Nothing is allocated or freed before the loading thread has ended: this thread then reuses its malloc
// arena. Otherwise the C library maps another 64 MiB of addresses, which the program may have limited.
void* runWhenLoaded(void* pointer)
{
    const auto* const start = static_cast<Loaded*>(pointer);
    if (start->hasLoader) {
        pthread_join(start->loader, nullptr);
    }
    const std::unique_ptr<const Loaded> owned(start);
    return start->main(start->argument);
}

} // namespace

bool startProgramCalls()
{
    sem_init(&g_calls.asked, 0, 0);
    sem_init(&g_calls.done, 0, 0);
    g_calls.started = startOwnThread(g_calls.thread, &serveCalls, nullptr);
    return g_calls.started;
}

bool endProgramCalls(const timespec& until)
{
    if (!g_calls.started) {
        return true;
    }
    g_calls.call = nullptr;
    sem_post(&g_calls.asked);
    return joinOwnThread(g_calls.thread, until);
}

void runWithProgramDescriptors(const std::function<void()>& work)
{
    if (!hasOwnDescriptors()) {
        work();
        return;
    }
    Call call{work};
    g_calls.call = &call;
    sem_post(&g_calls.asked);
    wait(g_calls.done);
    if (call.failure) {
        std::rethrow_exception(call.failure);
    }
}

bool startProgramCallsThread(pthread_t& thread, void* (*main)(void*), void* argument, void* (*load)(void*))
{
    std::unique_ptr<Loaded> loaded(new (std::nothrow) Loaded{load != nullptr, {}, main, argument});
    if (loaded == nullptr || (load != nullptr && !startOwnThread(loaded->loader, load, argument))) {
        return false;
    }
    bool started = false;
    runWithProgramDescriptors([&] { started = startOwnThread(thread, &runWhenLoaded, loaded.get()); });
    if (started) {
        static_cast<void>(loaded.release()); // the thread's
    } else if (load != nullptr) {
        pthread_detach(loaded->loader);
    }
    return started;
}

} // namespace ringside::collector
