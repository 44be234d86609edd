// SPDX-License-Identifier: Apache-2.0
#include "profiler/event.h"

namespace ringside::collector::profiler {
namespace {

template <class Descriptor>
Event common(const Descriptor& descriptor, unsigned version)
{
    Event event;
    event.type = descriptor.type;
    event.parent = descriptor.parent;
    event.rank = descriptor.rank;
    event.version = version;
    event.descriptor = &descriptor;
    return event;
}

/// Fields that are the same in all versions.
template <class Descriptor>
void addProxy(Event& event, const Descriptor& descriptor)
{
    if (event.type == kProxyOp) {
        event.proxyOp = descriptor.proxyOp;
    } else if (event.type == kProxyStep) {
        event.proxyStep = descriptor.proxyStep;
    } else if (event.type == kNetPlugin) {
        event.netPlugin = descriptor.netPlugin;
    }
}

template <class P2p>
void addTransfer(Event& event, const P2p& p2p)
{
    event.coll.function = p2p.function;
    event.coll.receive = p2p.buffer;
    event.coll.datatype = p2p.datatype;
    event.coll.count = p2p.count;
    event.coll.root = p2p.peer;
    if constexpr (requires { p2p.channels; }) {
        event.coll.channels = p2p.channels;
    }
}

void addCall(Event& event, const DescriptorV6& descriptor)
{
    if (event.type == kCollApi) {
        const CollApiFields& call = descriptor.collApi;
        event.coll.function = call.function;
        event.coll.count = call.count;
        event.coll.datatype = call.datatype;
        event.coll.root = call.root;
        event.stream = call.stream;
        event.captured = call.captured;
    } else if (event.type == kP2pApi) {
        const P2pApiFields& call = descriptor.p2pApi;
        event.coll.function = call.function;
        event.coll.count = call.count;
        event.coll.datatype = call.datatype;
        event.coll.root = -1; // not reported
        event.stream = call.stream;
        event.captured = call.captured;
    } else if (event.type == kGroupApi) {
        event.groupDepth = descriptor.groupApi.depth;
        event.captured = descriptor.groupApi.captured;
    } else if (event.type == kKernelLaunch) {
        event.stream = descriptor.kernelLaunch.stream;
    }
}

/// Collectives of the copy engines have a way of synchronising instead of a protocol, and no channels.
void addCopyEngines(Event& event, const CeCollFields& collective)
{
    event.coll.sequence = collective.sequence;
    event.coll.function = collective.function;
    event.coll.send = collective.send;
    event.coll.receive = collective.receive;
    event.coll.count = collective.count;
    event.coll.root = collective.root;
    event.coll.datatype = collective.datatype;
    event.coll.algorithm = "CE";
    event.coll.protocol = collective.syncStrategy;
    event.stream = collective.stream;
    event.ceColl = collective;
}

template <class Descriptor>
bool begin(const Event& event, Descriptor& descriptor)
{
    descriptor = {};
    descriptor.type = static_cast<std::uint8_t>(event.type);
    descriptor.parent = event.parent;
    descriptor.rank = event.rank;
    switch (event.type) {
    case kColl:
    case kP2p:
        descriptor.parent = event.group != nullptr ? event.group : event.parent;
        return true;
    case kGroup:
    case kKernelCh:
    case kProxyCtrl:
        return true;
    case kProxyOp:
        descriptor.proxyOp = event.proxyOp;
        return true;
    case kProxyStep:
        descriptor.proxyStep = event.proxyStep;
        return true;
    case kNetPlugin:
        descriptor.netPlugin = event.netPlugin;
        return true;
    default:
        return false;
    }
}

} // namespace

Event eventOf(const DescriptorV3& descriptor)
{
    Event event = common(descriptor, 3);
    if (event.type == kColl) {
        event.coll = descriptor.coll.fields;
        event.communicatorName = descriptor.coll.communicatorName;
        event.communicatorHash = descriptor.coll.communicatorHash;
    } else if (event.type == kP2p) {
        addTransfer(event, descriptor.p2p);
        event.communicatorName = descriptor.p2p.communicatorName;
        event.communicatorHash = descriptor.p2p.communicatorHash;
    } else if (event.type == kKernelCh) {
        event.kernelCh.channel = descriptor.kernelCh.channel;
    }
    addProxy(event, descriptor);
    return event;
}

Event eventOf(const DescriptorV4& descriptor)
{
    Event event = common(descriptor, 4);
    if (event.type == kColl) {
        event.coll = descriptor.coll;
    } else if (event.type == kP2p) {
        addTransfer(event, descriptor.p2p);
    } else if (event.type == kKernelCh) {
        event.kernelCh = descriptor.kernelCh;
    }
    addProxy(event, descriptor);
    return event;
}

Event eventOf(const DescriptorV6& descriptor, unsigned version)
{
    Event event = common(descriptor, version);
    if (event.type == kColl) {
        event.coll = descriptor.coll.fields;
        event.group = descriptor.coll.group;
    } else if (event.type == kP2p) {
        addTransfer(event, descriptor.p2p.fields);
        event.group = descriptor.p2p.group;
    } else if (event.type == kCeColl && version >= 6) {
        addCopyEngines(event, descriptor.ceColl);
    } else if (event.type == kCeBatch && version >= 6) {
        event.ceBatch = descriptor.ceBatch;
    } else if (event.type == kKernelCh) {
        event.kernelCh = descriptor.kernelCh;
    }
    addCall(event, descriptor);
    addProxy(event, descriptor);
    return event;
}

Event eventOf(const DescriptorV7& descriptor, unsigned version)
{
    Event event = eventOf(static_cast<const DescriptorV6&>(descriptor), version);
    event.descriptor = &descriptor;
    if (event.type == kColl) {
        event.kernelVariant = descriptor.more.coll.kernelVariant;
        event.symmetric = descriptor.more.coll.symmetric;
        event.userTag = descriptor.more.coll.userTag;
    } else if (event.type == kP2p) {
        event.userTag = descriptor.p2p.userTag;
    } else if (event.type == kCeColl) {
        event.userTag = descriptor.more.ceColl.userTag;
    } else if (event.type == kKernelPhase) {
        event.kernelPhase = descriptor.kernelPhase;
    }
    return event;
}

bool describe(const Event& event, DescriptorV3& descriptor)
{
    if (!begin(event, descriptor)) {
        return false;
    }
    if (event.type == kColl) {
        descriptor.coll.fields = event.coll;
    } else if (event.type == kP2p) {
        descriptor.p2p.function = event.coll.function;
        descriptor.p2p.buffer = event.coll.receive;
        descriptor.p2p.datatype = event.coll.datatype;
        descriptor.p2p.count = event.coll.count;
        descriptor.p2p.peer = event.coll.root;
    } else if (event.type == kKernelCh) {
        descriptor.kernelCh.channel = event.kernelCh.channel;
    }
    return true;
}

bool describe(const Event& event, DescriptorV4& descriptor)
{
    if (!begin(event, descriptor)) {
        return false;
    }
    if (event.type == kColl) {
        descriptor.coll = event.coll;
    } else if (event.type == kP2p) {
        descriptor.p2p = {event.coll.function, event.coll.receive, event.coll.datatype,
                          event.coll.count,    event.coll.root,    event.coll.channels};
    } else if (event.type == kKernelCh) {
        descriptor.kernelCh = event.kernelCh;
    }
    return true;
}

} // namespace ringside::collector::profiler
