// SPDX-License-Identifier: Apache-2.0
// A wrapper of prctl, by which a program gives up system calls (seccomp), or announces that it does: without
// PR_SET_NO_NEW_PRIVS only root may install a filter. A filter may kill the program for a call that the
// program never makes, but the collector does. So the recording ends before.
#include "record/glibc.h"
#include "record/message.h"
#include "record/session.h"

#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace ringside::collector {
namespace {

using Prctl = int(int, unsigned long, unsigned long, unsigned long, unsigned long);

Prctl* realPrctl()
{
    static auto* const real = reinterpret_cast<Prctl*>(dlsym(RTLD_NEXT, "prctl"));
    return real;
}

__attribute__((constructor)) void findPrctl()
{
    realPrctl();
}

/// The process that loaded this library, or forked from it with memory of its own. A child of vfork shares
/// our memory and is another: what it gives up before it becomes a program is not given up here.
std::atomic<pid_t> g_process{0};

__attribute__((constructor)) void noteProcess()
{
    g_process = getpid();
    atFork(nullptr, nullptr, [] { g_process = getpid(); });
}

void endRecording()
{
    if (g_process.load() != getpid()) {
        return;
    }
    if (g_gate.isRecording()) {
        closeSession();
        say(Talk::Always, "recording ended: the program is about to restrict its own system calls (seccomp)");
    }
    g_gate.end();
}

} // namespace
} // namespace ringside::collector

namespace collector = ringside::collector;

// Not the header's declaration: it is variadic, and x86-64 passes both alike.
extern "C" __attribute__((visibility("default"))) int ownPrctl(int, unsigned long, unsigned long,
                                                               unsigned long, unsigned long) __asm__("prctl");
int ownPrctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    if (option == PR_SET_SECCOMP || (option == PR_SET_NO_NEW_PRIVS && a != 0)) {
        collector::endRecording();
    }
    if (collector::realPrctl() == nullptr) {
        errno = ENOSYS;
        return -1;
    }
    return collector::realPrctl()(option, a, b, c, d);
}
