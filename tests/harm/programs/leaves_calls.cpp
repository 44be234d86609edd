// SPDX-License-Identifier: Apache-2.0
// A program that leaves CUDA calls by siglongjmp, as interpreters do at an interrupt. leaves_calls [small]:
// the handler has a stack of its own.
#include "program.h"

#include <setjmp.h>
#include <signal.h>

#include <array>
#include <cstdio>

extern "C" int cudaStreamSynchronize(void* stream);

namespace {

sigjmp_buf g_back;
int g_left = 0; // not local: a jump may lose what is in registers
int g_worked = 0;

void leave(int /*number*/)
{
    ringside::harm::callCuda(); // in the interrupted call
    siglongjmp(g_back, 1);
}

} // namespace

int main(int count, char** /*words*/)
{
    struct sigaction action {};
    action.sa_handler = leave;
    static std::array<char, 65536> memory;
    const stack_t stack{memory.data(), 0, memory.size()};
    if (count > 1) {
        sigaltstack(&stack, nullptr);
        action.sa_flags = SA_ONSTACK;
    }
    sigaction(SIGUSR2, &action, nullptr);
    for (static int i = 0; i < 100; ++i) {
        if (sigsetjmp(g_back, 1) == 0) {
            cudaStreamSynchronize(nullptr);
        } else {
            ++g_left;
        }
        g_worked += ringside::harm::callCuda() ? 1 : 0;
    }
    std::printf("left %d calls, %d others worked\n", g_left, g_worked);
    return 0;
}
