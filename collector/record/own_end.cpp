// SPDX-License-Identifier: Apache-2.0
#include "record/own_end.h"

#include <unistd.h>

#include <atomic>

namespace ringside::collector {
namespace {

std::atomic<trace::RingHeader*> g_endHeader{nullptr}; ///< mapped until the process ends

void recordEnd(std::uint32_t what)
{
    trace::RingHeader* const header = g_endHeader.load();
    if (header != nullptr && static_cast<std::uint32_t>(getpid()) == header->pid) {
        header->ownEnd.store(what);
    }
}

} // namespace

void recordEndsIn(trace::RingHeader& header)
{
    g_endHeader.store(&header);
}

void recordExit(int exitCode)
{
    recordEnd(trace::ownExit(exitCode));
}

void recordExec()
{
    recordEnd(trace::kOwnExec);
}

void clearExec()
{
    recordEnd(0);
}

} // namespace ringside::collector
