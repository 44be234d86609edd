// SPDX-License-Identifier: Apache-2.0
// A profiler plugin that writes its calls into the file named by RINGSIDE_TEST_PROFILER_LOG, one line each.
// Handles are numbers from 1. RINGSIDE_TEST_PROFILER_MASK is its activation mask,
// RINGSIDE_TEST_PROFILER_RESULT the result of its init. Built once as version 5 and once as version 4.
#include "profiler/abi.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <sstream>

namespace {

using namespace ringside::nccl::profiler;

#ifdef RINGSIDE_TEST_PROFILER_V4
using Descriptor = DescriptorV4;
#else
using Descriptor = DescriptorV5;
#endif

std::atomic<std::uintptr_t> g_handles = 0;

void* newHandle()
{
    return reinterpret_cast<void*>(++g_handles);
}

int number(const char* name)
{
    const char* text = std::getenv(name);
    return text == nullptr ? 0 : static_cast<int>(std::strtol(text, nullptr, 0));
}

std::uintptr_t idOf(const void* handle)
{
    return reinterpret_cast<std::uintptr_t>(handle);
}

/// One line, in one write: the stream's thread writes too.
void note(const std::ostringstream& line)
{
    const std::string text = line.str() + "\n";
    const int file =
        ::open(std::getenv("RINGSIDE_TEST_PROFILER_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        std::abort();
    ::close(file);
}

ncclResult_t initialise(void** context, int* mask, std::uint64_t id, const char* name, int nodes, int ranks,
                        int rank, Logger logger)
{
    *context = newHandle();
    *mask = number("RINGSIDE_TEST_PROFILER_MASK");
    logger(ringside::nccl::LogLevel::Info, ringside::nccl::kLogInit, "recorder", 1, "recorder of rank %d",
           rank);
    std::ostringstream line;
    line << "init context=" << idOf(*context) << " id=" << id << " name=" << (name == nullptr ? "-" : name)
         << " nodes=" << nodes << " ranks=" << ranks << " rank=" << rank;
    note(line);
    return static_cast<ncclResult_t>(number("RINGSIDE_TEST_PROFILER_RESULT"));
}

std::ostream& operator<<(std::ostream& out, const CollFields& coll)
{
    return out << " func=" << coll.function << " seq=" << coll.sequence << " send=" << idOf(coll.send)
               << " recv=" << idOf(coll.receive) << " count=" << coll.count << " root=" << coll.root
               << " datatype=" << coll.type << " channels=" << int{coll.channels}
               << " warps=" << int{coll.warps} << " algo=" << coll.algorithm << " proto=" << coll.protocol;
}

std::ostream& operator<<(std::ostream& out, const P2pFields& p2p)
{
    return out << " func=" << p2p.function << " buff=" << idOf(p2p.buffer) << " count=" << p2p.count
               << " peer=" << p2p.peer << " datatype=" << p2p.type << " channels=" << int{p2p.channels};
}

std::ostream& operator<<(std::ostream& out, const ProxyOpFields& op)
{
    return out << " pid=" << op.process << " channel=" << int{op.channel} << " peer=" << op.peer
               << " steps=" << op.steps << " chunk=" << op.chunkBytes << " send=" << op.isSend;
}

#ifdef RINGSIDE_TEST_PROFILER_V4
void describeTask(std::ostream& line, const DescriptorV4& event)
{
    if (event.type == kColl)
        line << event.coll;
    if (event.type == kP2p)
        line << event.p2p;
}
#else
void describeTask(std::ostream& line, const DescriptorV5& event)
{
    if (event.type == kColl)
        line << event.coll.fields << " group=" << idOf(event.coll.group);
    if (event.type == kP2p)
        line << event.p2p.fields << " group=" << idOf(event.p2p.group);
    if (event.type == kGroupApi)
        line << " captured=" << event.groupApi.captured << " depth=" << event.groupApi.depth;
    if (event.type == kCollApi)
        line << " func=" << event.collApi.function << " count=" << event.collApi.count
             << " datatype=" << event.collApi.type << " root=" << event.collApi.root
             << " stream=" << idOf(event.collApi.stream) << " captured=" << event.collApi.captured;
    if (event.type == kP2pApi)
        line << " func=" << event.p2pApi.function << " count=" << event.p2pApi.count
             << " datatype=" << event.p2pApi.type << " stream=" << idOf(event.p2pApi.stream)
             << " captured=" << event.p2pApi.captured;
    if (event.type == kKernelLaunch)
        line << " stream=" << idOf(event.kernelLaunch.stream);
}
#endif

ncclResult_t startEvent(void* context, void** handle, Descriptor* event)
{
    *handle = newHandle();
    std::ostringstream line;
    line << "start handle=" << idOf(*handle) << " context=" << idOf(context)
         << " type=" << static_cast<int>(event->type) << " parent=" << idOf(event->parent)
         << " rank=" << event->rank;
    describeTask(line, *event);
    if (event->type == kProxyOp)
        line << event->proxyOp;
    if (event->type == kProxyStep)
        line << " step=" << event->proxyStep.step;
    if (event->type == kKernelCh)
        line << " channel=" << int{event->kernelCh.channel} << " timer=" << event->kernelCh.timer;
    note(line);
    return ncclSuccess;
}

ncclResult_t stopEvent(void* handle)
{
    std::ostringstream line;
    line << "stop handle=" << idOf(handle);
    note(line);
    return ncclSuccess;
}

ncclResult_t recordEventState(void* handle, EventState state, StateArguments* arguments)
{
    std::ostringstream line;
    line << "state handle=" << idOf(handle) << " state=" << static_cast<int>(state)
         << " value=" << (arguments == nullptr ? 0 : arguments->kernelCh.timer);
    note(line);
    return ncclSuccess;
}

ncclResult_t finalize(void* context)
{
    std::ostringstream line;
    line << "finalize context=" << idOf(context);
    note(line);
    return ncclSuccess;
}

} // namespace

#ifdef RINGSIDE_TEST_PROFILER_V4
// The interface gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) const PluginV4 ncclProfiler_v4 = {
    "recorder",
    [](void** context, int* mask, const char* name, std::uint64_t id, int nodes, int ranks, int rank,
       Logger logger) { return initialise(context, mask, id, name, nodes, ranks, rank, logger); },
    &startEvent,
    &stopEvent,
    &recordEventState,
    &finalize};
#else
// The interface gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) const PluginV5 ncclProfiler_v5 = {
    "recorder",
    [](void** context, std::uint64_t id, int* mask, const char* name, int nodes, int ranks, int rank,
       Logger logger) { return initialise(context, mask, id, name, nodes, ranks, rank, logger); },
    &startEvent,
    &stopEvent,
    &recordEventState,
    &finalize};
#endif
