// SPDX-License-Identifier: Apache-2.0
// A program that goes on calling, on threads old and new, while its run directory's file server is gone
// (slow_network.cpp). Prints what it did.
#include "api.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

int main()
{
    ncclComm_t comm = ringside::test::communicator();
    ringside::test::reduce(comm, 1); // recording has begun
    const auto hang = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "hangSlowNetwork"));
    if (hang != nullptr) {
        hang(1);
    }
    usleep(600'000); // the drain thread comes there meanwhile, and hangs
    for (int thread = 0; thread < 4; ++thread) {
        std::thread([comm] {
            for (int call = 0; call < 1000; ++call) {
                ringside::test::reduce(comm, 1);
            }
        }).join();
    }
    std::printf("4000 calls\n");
    if (hang != nullptr) {
        hang(0);
    }
    return 0;
}
