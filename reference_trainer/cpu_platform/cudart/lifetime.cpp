// SPDX-License-Identifier: Apache-2.0
#include "lifetime.h"

#include "clock.h"
#include "platform.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace ringside::platform {
namespace {

std::atomic<bool> forked = false;
std::atomic<bool> exiting = false;
std::atomic<int> working = 0;

// Computing work ends in milliseconds and may be waited for; work that waits for peers may never end.
constexpr std::int64_t kExitGraceNs = 200'000'000;

// Runs when the program is loaded, so that its exit handler is registered as early as that of a real driver.
__attribute__((constructor)) void watchFromTheBeginning()
{
    const char* const word = std::getenv("RINGSIDE_PLATFORM_EXIT_HANDLER");
    if (word != nullptr && std::strcmp(word, "early") == 0)
        watchProcess();
}

} // namespace

void watchProcess()
{
    static const bool watching = [] {
        pthread_atfork(nullptr, nullptr, [] { forked = true; });
        std::atexit(ringside_platform_tear_down);
        return true;
    }();
    static_cast<void>(watching);
}

bool forkedAway()
{
    return forked.load(std::memory_order_relaxed);
}

bool processExits()
{
    return exiting;
}

void blockSignals()
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

RunningWork::RunningWork()
{
    ++working;
    if (!exiting)
        return;
    --working;
    for (;;)
        pause();
}

RunningWork::~RunningWork()
{
    --working;
}

} // namespace ringside::platform

void ringside_platform_tear_down()
{
    using namespace ringside::platform;
    exiting = true;
    const std::int64_t deadline = monotonicNs() + kExitGraceNs;
    while (working > 0 && !forked && monotonicNs() < deadline)
        sleepUntil(monotonicNs() + 1'000'000);
}

int ringside_platform_is_torn_down()
{
    return ringside::platform::processExits() ? 1 : 0;
}
