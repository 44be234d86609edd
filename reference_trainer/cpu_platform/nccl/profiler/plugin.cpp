// SPDX-License-Identifier: Apache-2.0
#include "profiler/plugin.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace ringside::nccl::profiler {
namespace {

/// Must be a plain int: its address is part of the plugins' interface.
int g_mask = 0;

/// Members that both versions have.
template <class Functions>
class Versioned : public Plugin {
public:
    Versioned(std::unique_ptr<PluginLibrary> library, const Functions& plugin)
        : Plugin(std::move(library), plugin.name), m_plugin(plugin)
    {}
    void stop(void* handle) override { m_plugin.stopEvent(handle); }
    void record(void* handle, EventState state, StateArguments* arguments) override
    {
        m_plugin.recordEventState(handle, state, arguments);
    }
    void finalize(void* context) override { m_plugin.finalize(context); }

protected:
    const Functions& m_plugin;
};

/// Versions 5 and 7, which differ in their descriptors.
template <class Functions, class Theirs>
class Later final : public Versioned<Functions> {
public:
    using Versioned<Functions>::Versioned;
    ncclResult_t init(void*& context, const Member& member) override
    {
        return this->m_plugin.init(&context, member.hash, Plugin::maskAddress(), member.name, member.nodes,
                                   member.ranks, member.rank, &debugLog);
    }
    void* start(void* context, Descriptor& descriptor) override
    {
        void* handle = nullptr;
        Theirs theirs{};
        std::memcpy(&theirs, &descriptor, sizeof theirs);
        this->m_plugin.startEvent(context, &handle, &theirs);
        return handle;
    }
};

/// Version 4 has no API and launch events, and a task's parent is its group. Returns false for events that it
/// does not have.
bool translate(const Descriptor& from, DescriptorV4& to)
{
    to.type = static_cast<std::uint8_t>(from.type);
    to.parent = from.parent;
    to.rank = from.rank;
    switch (from.type) {
    case kGroup:
        return true;
    case kColl:
        to.coll = from.coll.fields;
        to.parent = from.coll.group;
        return true;
    case kP2p:
        to.p2p = from.p2p.fields;
        to.parent = from.p2p.group;
        return true;
    case kProxyOp:
        to.proxyOp = from.proxyOp;
        return true;
    case kProxyStep:
        to.proxyStep = from.proxyStep;
        return true;
    case kKernelCh:
        to.kernelCh = from.kernelCh;
        return true;
    default:
        return false;
    }
}

class VersionFour final : public Versioned<PluginV4> {
public:
    using Versioned::Versioned;
    ncclResult_t init(void*& context, const Member& member) override
    {
        return m_plugin.init(&context, maskAddress(), member.name, member.hash, member.nodes, member.ranks,
                             member.rank, &debugLog);
    }
    void* start(void* context, Descriptor& descriptor) override
    {
        DescriptorV4 older{};
        void* handle = nullptr;
        if (translate(descriptor, older))
            m_plugin.startEvent(context, &handle, &older);
        return handle;
    }
};

/// Emulates NCCL before 2.28 on request, which has no version after 4, or one that has left behind all
/// versions that exist.
constexpr int kNewestThatExists = 7;
int newestVersion()
{
    const char* text = std::getenv("RINGSIDE_PLATFORM_PROFILER_API");
    return text == nullptr ? 5 : std::atoi(text);
}

std::shared_ptr<Plugin> load()
{
    auto library = std::make_unique<PluginLibrary>();
    if (!library->open())
        return nullptr;
    const std::string path = library->path();
    std::shared_ptr<Plugin> plugin;
    const auto* const five = static_cast<const PluginV5*>(library->symbol("ncclProfiler_v5"));
    const auto* const seven = static_cast<const PluginV7*>(library->symbol("ncclProfiler_v7"));
    if (seven != nullptr && newestVersion() == kNewestThatExists) {
        RINGSIDE_NCCL_INFO(kLogInit, "PROFILER/Plugin: Loaded %s (v7)", seven->name);
        plugin = std::make_shared<Later<PluginV7, DescriptorV7>>(std::move(library), *seven);
    } else if (five != nullptr && newestVersion() >= 5 && newestVersion() <= kNewestThatExists) {
        RINGSIDE_NCCL_INFO(kLogInit, "PROFILER/Plugin: Loaded %s (v5)", five->name);
        plugin = std::make_shared<Later<PluginV5, DescriptorV5>>(std::move(library), *five);
    } else if (const auto* four = static_cast<const PluginV4*>(library->symbol("ncclProfiler_v4"));
               four != nullptr && newestVersion() <= kNewestThatExists) {
        RINGSIDE_NCCL_INFO(kLogInit, "PROFILER/Plugin: Loaded %s (v4)", four->name);
        plugin = std::make_shared<VersionFour>(std::move(library), *four);
    } else {
        RINGSIDE_NCCL_INFO(kLogInit,
                           "External profiler plugin %s is unsupported: the emulated NCCL wants "
                           "%s",
                           path.c_str(),
                           newestVersion() > kNewestThatExists ? "a newer interface"
                                                               : "ncclProfiler_v5 or ncclProfiler_v4");
        return nullptr;
    }
    RINGSIDE_NCCL_INFO(kLogInit, "Successfully loaded external profiler plugin %s", path.c_str());
    return plugin;
}

/// Never destroyed: communicators may outlive static objects.
struct Process {
    std::mutex mutex;
    std::weak_ptr<Plugin> plugin;
    bool failed = false;
};

Process& process()
{
    static auto* const instance = new Process;
    return *instance;
}

} // namespace

std::shared_ptr<Plugin> Plugin::acquire()
{
    const std::lock_guard lock(process().mutex);
    if (process().failed)
        return nullptr;
    std::shared_ptr<Plugin> plugin = process().plugin.lock();
    if (plugin == nullptr) {
        plugin = load();
        process().plugin = plugin;
        process().failed = plugin == nullptr;
    }
    return plugin;
}

Plugin::Plugin(std::unique_ptr<PluginLibrary> library, const char* name)
    : m_library(std::move(library)), m_name(name == nullptr ? "" : name)
{}

Plugin::~Plugin()
{
    RINGSIDE_NCCL_INFO(kLogInit, "PROFILER/Plugin: Closing profiler plugin %s", m_name.c_str());
}

bool Plugin::hasPhases()
{
    return newestVersion() == kNewestThatExists;
}

bool Plugin::tasksNeedGroup()
{
    constexpr int kFirstWithout = 5; // of plugin interfaces: introduced by NCCL 2.28
    return newestVersion() < kFirstWithout;
}

std::uint32_t Plugin::mask()
{
    return static_cast<std::uint32_t>(std::atomic_ref(g_mask).load(std::memory_order_relaxed));
}

int* Plugin::maskAddress()
{
    return &g_mask;
}

} // namespace ringside::nccl::profiler
