// SPDX-License-Identifier: Apache-2.0
// The symbols of the profiler plugin, ncclProfiler_v3 to _v7, and the differences between the versions.
#include "profiler/callbacks.h"

namespace ringside::collector::profiler {
namespace {

Result stateV3(void* handle, State state, StateArgumentsV3* arguments)
{
    return change(handle, state, {trace::kUnknownNumber, 0}, 3, arguments);
}

Result stateLater(void* handle, State state, StateArguments* arguments)
{
    StateDetails details{trace::kUnknownNumber, 0};
    if (arguments != nullptr && (state == State::KernelChStop || state == State::KernelPhaseStop)) {
        details.deviceEndNs = arguments->kernelCh.timer;
    } else if (arguments != nullptr) {
        details.bytes = arguments->proxyStep.bytes;
    }
    constexpr unsigned kSinceWhichTheyAreAlike = 4;
    return change(handle, state, details, kSinceWhichTheyAreAlike, arguments);
}

Result initV3(void** context, int* mask)
{
    return open(3, context, mask, {});
}

Result initV4(void** context, int* mask, const char* name, std::uint64_t hash, int nodes, int ranks, int rank,
              Logger logger)
{
    return open(4, context, mask, {hash, name, nodes, ranks, rank, logger});
}

template <unsigned Version>
Result initLater(void** context, std::uint64_t hash, int* mask, const char* name, int nodes, int ranks,
                 int rank, Logger logger)
{
    return open(Version, context, mask, {hash, name, nodes, ranks, rank, logger});
}

template <class Descriptor>
Result startOlder(void* context, void** handle, Descriptor* descriptor)
{
    return descriptor != nullptr ? start(context, handle, eventOf(*descriptor)) : kSuccess;
}

template <unsigned Version>
Result startLater(void* context, void** handle, DescriptorV6* descriptor)
{
    return descriptor != nullptr ? start(context, handle, eventOf(*descriptor, Version)) : kSuccess;
}

Result startV7(void* context, void** handle, DescriptorV7* descriptor)
{
    return descriptor != nullptr ? start(context, handle, eventOf(*descriptor, 7)) : kSuccess;
}

} // namespace
} // namespace ringside::collector::profiler

// NOLINTBEGIN(readability-identifier-naming): NCCL looks for these names
#define RINGSIDE_PLUGIN(version, init, start, state)                                                         \
    extern "C" __attribute__((visibility("default")))                                                        \
    const ringside::collector::profiler::PluginV##version ncclProfiler_v##version;                           \
    constinit const ringside::collector::profiler::PluginV##version ncclProfiler_v##version = {              \
        "Ringside",                                                                                          \
        &ringside::collector::profiler::init,                                                                \
        &ringside::collector::profiler::start,                                                               \
        &ringside::collector::profiler::stop,                                                                \
        &ringside::collector::profiler::state,                                                               \
        &ringside::collector::profiler::close};

RINGSIDE_PLUGIN(3, initV3, startOlder, stateV3)
RINGSIDE_PLUGIN(4, initV4, startOlder, stateLater)
RINGSIDE_PLUGIN(5, initLater<5>, startLater<5>, stateLater)
RINGSIDE_PLUGIN(6, initLater<6>, startLater<6>, stateLater)
RINGSIDE_PLUGIN(7, initLater<7>, startV7, stateLater)
// NOLINTEND(readability-identifier-naming)
