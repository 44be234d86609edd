// SPDX-License-Identifier: Apache-2.0
// Marks, ranges and the rank that the program sets through ringside/collector.h. Marks and ranges are
// recorded like NVTX's, in the domain "ringside"; the program need not use NVTX. Unlike NVTX's own they
// start the recording.
#include "nvtx/ranges.h"
#include "record/ranks.h"
#include "record/session.h"

namespace {

using namespace ringside::collector;

bool wanted(const char* text)
{
    return text != nullptr && t_thread.depth == 0 && recordingThread() != nullptr;
}

nvtx::Name* domain()
{
    static nvtx::Name* const ours = nvtx::makeName("ringside");
    return ours;
}

} // namespace

extern "C" __attribute__((visibility("default"))) void ringside_annotate(const char* text)
{
    if (wanted(text)) {
        nvtx::markText(domain(), text);
    }
}

extern "C" __attribute__((visibility("default"))) void ringside_range_push(const char* text)
{
    if (wanted(text)) {
        nvtx::pushText(domain(), text);
    }
}

extern "C" __attribute__((visibility("default"))) void ringside_range_pop()
{
    nvtx::pop(domain());
}

extern "C" __attribute__((visibility("default"))) void ringside_set_rank(std::int32_t rank,
                                                                         std::int32_t worldSize)
{
    setProgramRank({rank, worldSize});
}
