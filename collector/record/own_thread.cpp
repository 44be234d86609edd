// SPDX-License-Identifier: Apache-2.0
#include "record/own_thread.h"

#include <csignal>
#include <cstddef>

namespace ringside::collector {

bool startOwnThread(pthread_t& thread, void* (*main)(void*), void* argument)
{
    sigset_t all; // the thread inherits the mask
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    constexpr std::size_t kStackBytes = std::size_t{1} << 20;
    pthread_attr_setstacksize(&attributes, kStackBytes);
    const int error = pthread_create(&thread, &attributes, main, argument);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error == 0;
}

} // namespace ringside::collector
