// SPDX-License-Identifier: Apache-2.0
#include "profiler/api_events.h"

#include <memory>
#include <utility>

namespace ringside::nccl::profiler {
namespace {

constexpr std::uint32_t kBelowCall = kProxyOp | kProxyStep | kKernelCh | kNetPlugin;
constexpr std::uint32_t kForCollApi = kCollApi | kColl | kBelowCall;
constexpr std::uint32_t kForP2pApi = kP2pApi | kP2p | kBelowCall;
constexpr std::uint32_t kForGroupApi = kGroupApi | kKernelLaunch | kGroup | kForCollApi | kForP2pApi;

/// A thread's group, from its first call to its end.
struct Group {
    bool begun = false;
    std::uint32_t mask = 0;
    void* handle = nullptr;
    /// keeps the plugin: the communicator may be destroyed before the group ends
    std::shared_ptr<Plugin> plugin = {};
};

Group& current()
{
    thread_local Group group;
    return group;
}

void beginGroup(Group& group, const CommunicatorProfile& profile, bool captured, int depth)
{
    group.begun = true;
    group.mask = Plugin::mask();
    if ((group.mask & kForGroupApi) == 0)
        return;
    group.plugin = profile.sharedPlugin();
    Descriptor descriptor{};
    descriptor.type = kGroupApi;
    descriptor.groupApi = {.captured = captured, .depth = depth};
    group.handle = profile.start(descriptor);
    if (group.handle != nullptr)
        group.plugin->record(group.handle, EventState::GroupStartApiStop, nullptr);
}

Descriptor describe(const Call& call, void* group)
{
    Descriptor descriptor{};
    descriptor.parent = group;
    if (call.pointToPoint) {
        descriptor.type = kP2pApi;
        descriptor.p2pApi = {.function = call.function,
                             .count = call.count,
                             .type = typeName(call.type),
                             .stream = call.stream,
                             .captured = call.captured};
    } else {
        descriptor.type = kCollApi;
        descriptor.collApi = {.function = call.function,
                              .count = call.count,
                              .type = typeName(call.type),
                              .root = call.peer,
                              .stream = call.stream,
                              .captured = call.captured};
    }
    return descriptor;
}

} // namespace

const char* typeName(ncclDataType_t type)
{
    switch (type) {
    case ncclInt8:
        return "ncclInt8";
    case ncclInt32:
        return "ncclInt32";
    case ncclUint32:
        return "ncclUint32";
    case ncclInt64:
        return "ncclInt64";
    case ncclUint64:
        return "ncclUint64";
    case ncclFloat16:
        return "ncclFloat16";
    case ncclFloat32:
        return "ncclFloat32";
    case ncclFloat64:
        return "ncclFloat64";
    case ncclBfloat16:
        return "ncclBfloat16";
    case ncclFloat8e4m3:
        return "ncclFloat8e4m3";
    case ncclFloat8e5m2:
        return "ncclFloat8e5m2";
    default:
        return "Unknown";
    }
}

Ticket enterCall(const CommunicatorProfile& profile, const Call& call, int depth)
{
    Group& group = current();
    if (!group.begun)
        beginGroup(group, profile, call.captured, depth);
    Ticket ticket{.mask = group.mask, .group = group.handle};
    if ((group.mask & (call.pointToPoint ? kForP2pApi : kForCollApi)) != 0) {
        Descriptor descriptor = describe(call, group.handle);
        ticket.api = profile.start(descriptor);
        profile.stop(ticket.api);
    }
    return ticket;
}

GroupEnd::GroupEnd()
{
    const Group& group = current();
    if (group.handle != nullptr)
        group.plugin->record(group.handle, EventState::GroupEndApiStart, nullptr);
}

GroupEnd::~GroupEnd()
{
    const Group group = std::exchange(current(), {});
    if (group.handle != nullptr)
        group.plugin->stop(group.handle);
}

} // namespace ringside::nccl::profiler
