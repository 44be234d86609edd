// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch_events.h"

#include "platform.h"

#include <algorithm>
#include <cstdlib>

namespace ringside::nccl::profiler {
namespace {

constexpr std::uint32_t kBelowTask = kProxyOp | kProxyStep | kKernelCh | kNetPlugin;

/// NCCL moves gathered and broadcast data as bytes, and reports it so.
bool movedAsBytes(const Call& call)
{
    constexpr std::size_t kBroadcast = 0;
    constexpr std::size_t kAllGather = 2;
    return call.number == kBroadcast || call.number == kAllGather;
}

/// RINGSIDE_PLATFORM_NCCL_SYMMETRIC: all buffers count as windows of symmetric memory.
bool isSymmetric()
{
    static const bool set = Plugin::hasPhases() && std::getenv("RINGSIDE_PLATFORM_NCCL_SYMMETRIC") != nullptr;
    return set;
}

std::uint64_t deviceTime()
{
    return static_cast<std::uint64_t>(ringside_platform_now_ns());
}

} // namespace

std::shared_ptr<LaunchEvents> LaunchEvents::begin(const std::shared_ptr<CommunicatorProfile>& profile,
                                                  const std::vector<Task>& tasks, cudaStream_t stream,
                                                  Launching launching)
{
    std::shared_ptr<LaunchEvents> events(new LaunchEvents(profile, stream, launching));
    for (const Task& task : tasks)
        events->m_tasks.push_back({.task = task, .sequence = events->number(task)});
    return events->leader() == nullptr ? nullptr : events;
}

std::uint64_t LaunchEvents::number(const Task& task)
{
    if (task.call.pointToPoint || m_launching == Launching::IntoGraph)
        return 0;
    const bool counts = m_launching == Launching::Directly || (task.ticket.mask & kKernelCh) != 0;
    return counts ? m_profile->nextSequence(task.call.number) : m_profile->sequence(task.call.number);
}

/// Returns the first task that was called while the plugin's mask was not empty.
const Ticket* LaunchEvents::leader() const
{
    const auto task = std::find_if(m_tasks.begin(), m_tasks.end(),
                                   [](const Running& running) { return running.task.ticket.mask != 0; });
    return task == m_tasks.end() ? nullptr : &task->task.ticket;
}

void LaunchEvents::launching()
{
    if ((leader()->mask & kKernelLaunch) == 0)
        return;
    Descriptor descriptor{};
    descriptor.type = kKernelLaunch;
    descriptor.parent = leader()->group;
    descriptor.kernelLaunch = {.stream = m_stream};
    m_launch = m_profile->start(descriptor);
}

void LaunchEvents::launched(bool taken)
{
    m_profile->stop(m_launch);
    const bool runs = taken && m_launching != Launching::IntoGraph;
    if (runs)
        startTasks();
    m_started = true;
    m_started.notify_all();
    if (runs)
        stopTasks();
}

void LaunchEvents::startTasks()
{
    if ((leader()->mask & (kGroup | kColl | kP2p | kBelowTask)) != 0) {
        Descriptor descriptor{};
        descriptor.type = kGroup;
        m_group = m_profile->start(descriptor);
    }
    if (m_group == nullptr && Plugin::tasksNeedGroup())
        return;
    for (Running& running : m_tasks) {
        const bool transfer = running.task.call.pointToPoint;
        if ((running.task.ticket.mask & (kBelowTask | (transfer ? kP2p : kColl))) == 0)
            continue;
        Descriptor descriptor = transfer ? describeP2p(running) : describeColl(running);
        running.event = m_profile->start(descriptor);
    }
}

void LaunchEvents::stopTasks()
{
    for (const Running& running : m_tasks)
        m_profile->stop(running.event);
    m_profile->stop(m_group);
}

Descriptor LaunchEvents::describeColl(const Running& running) const
{
    const Call& call = running.task.call;
    const bool bytes = movedAsBytes(call);
    Descriptor descriptor{};
    descriptor.type = kColl;
    descriptor.parent = running.task.ticket.api;
    descriptor.rank = m_profile->rank();
    // The emulation has one ring, or tree, with one connection to each neighbour, one thread, and whole
    // messages.
    descriptor.coll = {.fields = {.sequence = running.sequence,
                                  .function = call.function,
                                  .send = call.source,
                                  .receive = call.target,
                                  .count = bytes ? call.count * call.element : call.count,
                                  .root = call.peer,
                                  .type = typeName(bytes ? ncclInt8 : call.type),
                                  .channels = 1,
                                  .warps = 1,
                                  .algorithm = call.tree ? "TREE" : "RING",
                                  .protocol = "SIMPLE"},
                       .group = m_group,
                       .kernelVariant = isSymmetric() ? "RSxLDMC_AGxSTMC" : nullptr,
                       .symmetric = isSymmetric(),
                       .userTag = 0};
    return descriptor;
}

Descriptor LaunchEvents::describeP2p(const Running& running) const
{
    const Call& call = running.task.call;
    Descriptor descriptor{};
    descriptor.type = kP2p;
    descriptor.parent = running.task.ticket.api;
    descriptor.rank = m_profile->rank();
    descriptor.p2p = {.fields = {.function = call.function,
                                 .buffer = call.target,
                                 .type = typeName(call.type),
                                 .count = call.count,
                                 .peer = call.peer,
                                 .channels = 1},
                      .group = m_group};
    return descriptor;
}

void LaunchEvents::kernelBegins()
{
    const std::uint64_t start = deviceTime();
    m_beginNs = start;
    m_started.wait(false);
    for (Running& running : m_tasks) {
        if ((running.task.ticket.mask & kKernelCh) == 0)
            continue;
        Descriptor descriptor{};
        descriptor.type = kKernelCh;
        descriptor.parent = running.event;
        descriptor.kernelCh = {.channel = 0, .timer = start};
        running.kernel = m_profile->start(descriptor);
    }
}

void LaunchEvents::kernelMeets()
{
    m_metNs = deviceTime();
}

/// NCCL tells of the phases when the kernel has ended, before its channel's end, and leaves out those without
/// a length: here the last one, because no rank waits at the end.
void LaunchEvents::reportPhases(void* kernel, std::uint64_t endNs) const
{
    const std::uint64_t bounds[] = {m_beginNs, m_metNs, endNs};
    constexpr const char* kNames[] = {"initial_sync", "compute"};
    for (std::uint8_t phase = 0; phase < 2; ++phase) {
        if (bounds[phase] == 0 || bounds[phase + 1] <= bounds[phase])
            continue;
        Descriptor descriptor{};
        descriptor.type = kKernelPhase;
        descriptor.parent = kernel;
        descriptor.kernelPhase = {
            .channel = 0, .phase = phase, .name = kNames[phase], .timer = bounds[phase]};
        void* const handle = m_profile->start(descriptor);
        if (handle == nullptr)
            continue;
        StateArguments arguments{};
        arguments.kernelCh = {.timer = bounds[phase + 1]};
        m_profile->plugin().record(handle, EventState::KernelPhaseStop, &arguments);
        m_profile->stop(handle);
    }
}

void LaunchEvents::kernelEnds()
{
    StateArguments arguments{};
    arguments.kernelCh = {.timer = deviceTime()};
    for (const Running& running : m_tasks) {
        if (running.kernel == nullptr)
            continue;
        if (isSymmetric() && (running.task.ticket.mask & kKernelPhase) != 0)
            reportPhases(running.kernel, arguments.kernelCh.timer);
        m_profile->plugin().record(running.kernel, EventState::KernelChStop, &arguments);
        m_profile->stop(running.kernel);
    }
}

} // namespace ringside::nccl::profiler
