// SPDX-License-Identifier: Apache-2.0
// Threads that are born, cancelled and destroyed around CUDA calls.
#include "program.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace ringside::harm {
namespace {

/// short_threads COUNT: one after another, each calls CUDA once.
int shortThreads(const Arguments& arguments)
{
    std::atomic<int> working{0};
    const int count = std::atoi(arguments.at(0));
    for (int i = 0; i < count; ++i) {
        std::thread([&] { working += callCuda() ? 1 : 0; }).join();
    }
    return expect(working == count, "CUDA works in each thread");
}

int manyAtOnce(const Arguments& arguments)
{
    std::atomic<int> working{0};
    std::vector<std::thread> threads;
    const int count = std::atoi(arguments.at(0));
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&] { working += callCuda() ? 1 : 0; });
    }
    for (auto& each : threads) {
        each.join();
    }
    return expect(working == count, "CUDA works in each thread");
}

void* callForEver(void* /*argument*/)
{
    while (callCuda()) {
        pthread_testcancel();
    }
    return nullptr;
}

int cancelled(const Arguments& /*arguments*/)
{
    int failed = 0;
    for (int i = 0; i < 10; ++i) {
        pthread_t thread{};
        pthread_create(&thread, nullptr, callForEver, nullptr);
        sleepMilliseconds(5);
        pthread_cancel(thread);
        void* end = nullptr;
        pthread_join(thread, &end);
        failed += expect(end == PTHREAD_CANCELED, "the thread was cancelled");
    }
    return failed;
}

/// Calls CUDA when its thread ends, after the collector may have ended there.
struct CallsAtTheEnd {
    std::atomic<int>* working = nullptr;
    ~CallsAtTheEnd() { *working += callCuda() ? 1 : 0; }
};

int threadLocalDestructors(const Arguments& /*arguments*/)
{
    std::atomic<int> working{0};
    for (int i = 0; i < 10; ++i) {
        std::thread([&] {
            thread_local CallsAtTheEnd atTheEnd;
            atTheEnd.working = &working;
            callCuda();
        }).join();
    }
    return expect(working == 10, "CUDA works in destructors of threads");
}

/// pthread_key destructors that set their key again, as often as the library asks.
pthread_key_t g_key;

void setAgain(void* value)
{
    callCuda();
    if (const auto round = reinterpret_cast<std::size_t>(value); round < 3) {
        pthread_setspecific(g_key, reinterpret_cast<void*>(round + 1));
    }
}

int keyDestructors(const Arguments& /*arguments*/)
{
    pthread_key_create(&g_key, setAgain);
    std::thread([] {
        pthread_setspecific(g_key, reinterpret_cast<void*>(1));
        callCuda();
    }).join();
    return say("keys are destroyed");
}

int atFork(const Arguments& /*arguments*/)
{
    pthread_atfork([] { say("prepare"); }, [] { sleepMilliseconds(200), say("parent"); },
                   [] { say("child"); });
    pthread_atfork([] { callCuda(); }, nullptr, nullptr);
    callCuda();
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    return waitpid(child, nullptr, 0) == child ? 0 : 1;
}

/// Title and thread names as `ps` shows them.
int processTitle(const Arguments& /*arguments*/)
{
    std::array<char, 32> name{};
    callCuda();
    prctl(PR_GET_NAME, name.data());
    say(name.data());
    prctl(PR_SET_NAME, "renamed");
    callCuda();
    prctl(PR_GET_NAME, name.data());
    return say(name.data());
}

/// A thread with the smallest stack that there can be.
int smallestStack(const Arguments& /*arguments*/)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    pthread_t thread{};
    pthread_create(
        &thread, &attributes, [](void*) -> void* { return callCuda() ? &g_key : nullptr; }, nullptr);
    void* end = nullptr;
    pthread_join(thread, &end);
    return expect(end == &g_key, "CUDA works on a stack of 64 KiB");
}

/// The main thread ends first; the process goes on.
int mainThreadEnds(const Arguments& /*arguments*/)
{
    callCuda();
    std::thread([] {
        sleepMilliseconds(100);
        std::exit(expect(callCuda(), "CUDA works after the main thread") + 11);
    }).detach();
    pthread_exit(nullptr);
}

const Program g_threadPrograms[] = {
    {"short_threads", shortThreads},     {"many_at_once", manyAtOnce},
    {"cancelled_threads", cancelled},    {"thread_local_destructors", threadLocalDestructors},
    {"key_destructors", keyDestructors}, {"at_fork", atFork},
    {"process_title", processTitle},     {"smallest_stack", smallestStack},
    {"main_thread_ends", mainThreadEnds}};

} // namespace
} // namespace ringside::harm
