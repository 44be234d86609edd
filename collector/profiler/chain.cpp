// SPDX-License-Identifier: Apache-2.0
#include "profiler/chain.h"

#include "profiler/announce.h"
#include "record/message.h"

#include <array>
#include <cstdlib>

namespace ringside::collector::profiler {
namespace {

constexpr std::uint64_t kBelowOperation = kProxyOp | kProxyStep | kKernelCh | kNetPlugin;
constexpr std::uint64_t kOfCopyEngines = kCeColl | kCeSync | kCeBatch;
constexpr unsigned kFirstOfPhases = 7;

struct Served {
    std::uint64_t type;
    std::uint64_t by; ///< any of these bits selects it
};
// As in src/plugin/profiler.cc of NCCL 2.28.9 and 2.30.7. Phases (since 2.31) also require the event of their
// kernel (see mask()).
constexpr std::array kServed{
    Served{kGroupApi, ~std::uint64_t{kProxyCtrl}},
    Served{kCollApi, kCollApi | kColl | kBelowOperation | kOfCopyEngines},
    Served{kP2pApi, kP2pApi | kP2p | kBelowOperation},
    Served{kKernelLaunch, kKernelLaunch},
    Served{kGroup, kGroup | kColl | kP2p | kBelowOperation},
    Served{kColl, kColl | kBelowOperation},
    Served{kP2p, kP2p | kBelowOperation},
    Served{kProxyOp, kProxyOp | kProxyStep | kNetPlugin},
    Served{kProxyStep, kProxyStep | kNetPlugin},
    Served{kProxyCtrl, kProxyCtrl},
    Served{kKernelCh, kKernelCh},
    Served{kNetPlugin, kNetPlugin},
    Served{kCeColl, kOfCopyEngines},
    Served{kCeSync, kCeSync},
    Served{kCeBatch, kCeBatch},
    Served{kKernelPhase, kKernelPhase},
};

template <class Plugin, class Descriptor>
void* startAs(const Plugin& plugin, void* context, Descriptor descriptor)
{
    void* handle = nullptr;
    plugin.startEvent(context, &handle, &descriptor);
    return handle;
}

template <class Descriptor>
Descriptor copied(const Event& event, void* parent)
{
    Descriptor descriptor = *static_cast<const Descriptor*>(event.descriptor);
    descriptor.parent = parent;
    return descriptor;
}

template <class Descriptor>
Descriptor copiedLater(const Event& event, void* parent, void* group)
{
    auto descriptor = copied<Descriptor>(event, parent);
    if (event.type == kColl) {
        descriptor.coll.group = group;
    } else if (event.type == kP2p) {
        descriptor.p2p.group = group;
    }
    return descriptor;
}

/// Converts an event for an older version, with that plugin's handles.
template <class Plugin, class Descriptor>
void* startOlder(const Plugin& plugin, void* context, Event event, void* parent, void* group)
{
    Descriptor descriptor{};
    event.parent = parent;
    event.group = group;
    return describe(event, descriptor) ? startAs(plugin, context, descriptor) : nullptr;
}

/// The states of version 3.
bool hasVersion3(State state)
{
    return state >= State::StepSendGpuWait && state <= State::CtrlAppendEnd;
}

} // namespace

template <class Function>
auto Chain::call(Function&& function) const
{
    switch (m_version) {
    case 3:
        return function(*static_cast<const PluginV3*>(m_plugin));
    case 4:
        return function(*static_cast<const PluginV4*>(m_plugin));
    case 7:
        return function(*static_cast<const PluginV7*>(m_plugin));
    default: // versions 5 and 6 have the same layout
        return function(*static_cast<const PluginV6*>(m_plugin));
    }
}

void Chain::load(unsigned ncclVersion)
{
    const std::scoped_lock lock(m_mutex);
    if (m_loaded) {
        return;
    }
    m_loaded = true;
    const char* const setting = std::getenv(kChainedVariable);
    const ChainLibrary found = findChained(setting != nullptr ? setting : "", ncclVersion);
    m_reason = new std::string(found.reason);
    if (!found.reason.empty()) {
        say(Talk::Always, "%s; ours goes on", found.reason.c_str());
    }
    if (found.plugin != nullptr) {
        m_plugin = found.plugin;
        m_version = found.version;
        m_name = new std::string(found.name);
        m_active.store(true, std::memory_order_release);
    }
}

std::uint64_t Chain::mask() const
{
    const std::uint64_t set =
        active() ? static_cast<std::uint32_t>(__atomic_load_n(&m_mask, __ATOMIC_RELAXED)) : 0;
    return m_version >= kFirstOfPhases && (set & kKernelPhase) != 0 ? set | kKernelCh : set;
}

bool Chain::serves(std::uint64_t type) const
{
    const std::uint64_t wanted = mask();
    if (wanted == 0) {
        return false;
    }
    for (const Served& served : kServed) {
        if (served.type == type) {
            return (wanted & served.by) != 0;
        }
    }
    return (wanted & type) != 0;
}

Result Chain::open(void** context, const Opening& opening)
{
    const Opening& to = opening;
    return call([&](const auto& plugin) {
        if constexpr (std::is_same_v<decltype(plugin.init), InitV3*>) {
            return plugin.init(context, &m_mask);
        } else if constexpr (std::is_same_v<decltype(plugin.init), InitV4*>) {
            return plugin.init(context, &m_mask, to.name, to.hash, to.nodes, to.ranks, to.rank, to.logger);
        } else {
            return plugin.init(context, to.hash, &m_mask, to.name, to.nodes, to.ranks, to.rank, to.logger);
        }
    });
}

void Chain::close(void* context) const
{
    call([&](const auto& plugin) { return plugin.finalize(context); });
}

void* Chain::start(void* context, const Event& event, void* parent, void* group) const
{
    constexpr unsigned kFirstOfCopyEngines = 6;
    if (m_version == 3) {
        const auto& plugin = *static_cast<const PluginV3*>(m_plugin);
        return event.version == 3 ? startAs(plugin, context, copied<DescriptorV3>(event, parent))
                                  : startOlder<PluginV3, DescriptorV3>(plugin, context, event, parent, group);
    }
    if (m_version == 4) {
        const auto& plugin = *static_cast<const PluginV4*>(m_plugin);
        return event.version == 4 ? startAs(plugin, context, copied<DescriptorV4>(event, parent))
                                  : startOlder<PluginV4, DescriptorV4>(plugin, context, event, parent, group);
    }
    if ((m_version < kFirstOfCopyEngines && (event.type & kOfCopyEngines) != 0) ||
        (m_version < kFirstOfPhases && event.type == kKernelPhase)) {
        return nullptr;
    }
    if (m_version >= kFirstOfPhases) {
        return startAs(*static_cast<const PluginV7*>(m_plugin), context,
                       copiedLater<DescriptorV7>(event, parent, group));
    }
    return startAs(*static_cast<const PluginV6*>(m_plugin), context,
                   copiedLater<DescriptorV6>(event, parent, group));
}

void Chain::stop(void* handle) const
{
    call([&](const auto& plugin) { return plugin.stopEvent(handle); });
}

void Chain::state(void* handle, State state, unsigned ncclVersion, void* arguments) const
{
    call([&](const auto& plugin) {
        if constexpr (std::is_same_v<decltype(plugin.init), InitV3*>) {
            if (ncclVersion > 3) {
                StateArgumentsV3 older{};
                if (arguments != nullptr && state >= State::CtrlIdle) {
                    older.proxyCtrl.appendedOps =
                        static_cast<StateArguments*>(arguments)->proxyCtrl.appendedOps;
                }
                return hasVersion3(state) ? plugin.recordEventState(handle, state, &older) : kSuccess;
            }
            return plugin.recordEventState(handle, state, static_cast<StateArgumentsV3*>(arguments));
        } else {
            return plugin.recordEventState(handle, state, static_cast<StateArguments*>(arguments));
        }
    });
}

std::string Chain::description()
{
    const std::scoped_lock lock(m_mutex);
    return m_name != nullptr ? *m_name + ", API " + std::to_string(m_version) : "";
}

std::string Chain::reason()
{
    const std::scoped_lock lock(m_mutex);
    return m_reason != nullptr ? *m_reason : "";
}

void Chain::fail(const std::string& reason)
{
    const std::scoped_lock lock(m_mutex);
    if (m_reason != nullptr && m_reason->empty()) {
        *m_reason = reason;
        say(Talk::Always, "%s; ours goes on", reason.c_str());
    }
}

} // namespace ringside::collector::profiler
