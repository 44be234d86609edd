// SPDX-License-Identifier: Apache-2.0
#include "record/told_end.h"

#include <unistd.h>

#include <atomic>

namespace ringside::collector {
namespace {

std::atomic<trace::RingHeader*> g_endHeader{nullptr}; ///< mapped until the process ends

void tellEnd(std::uint32_t what)
{
    trace::RingHeader* const header = g_endHeader.load();
    if (header != nullptr && static_cast<std::uint32_t>(getpid()) == header->pid) {
        header->toldEnd.store(what);
    }
}

} // namespace

void tellEndsIn(trace::RingHeader& header)
{
    g_endHeader.store(&header);
}

void tellExit(int exitCode)
{
    tellEnd(trace::toldExit(exitCode));
}

void tellExec()
{
    tellEnd(trace::kToldExec);
}

void takeBackExec()
{
    tellEnd(0);
}

} // namespace ringside::collector
