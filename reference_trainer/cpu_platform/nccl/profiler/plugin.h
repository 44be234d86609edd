// SPDX-License-Identifier: Apache-2.0
// The process's profiler plugin. Newer version first: ncclProfiler_v5, then v4, whose structs are filled from
// v5's as NCCL does. Loaded with the first communicator and closed with the last; a failure to load is final.
#pragma once
#include "profiler/abi.h"
#include "profiler/plugin_library.h"

#include <atomic>
#include <memory>

namespace ringside::nccl::profiler {

/// Who a communicator is, as its plugin is told.
struct Member {
    std::uint64_t hash = 0;
    const char* name = nullptr; ///< the user's name for the communicator, or null
    int nodes = 1;
    int ranks = 1;
    int rank = 0;
};

/// A loaded plugin. Any thread; a handle goes to the plugin that gave it.
class Plugin {
public:
    /// The process's plugin, null where there is none. Hold it as long as the communicator lives.
    [[nodiscard]] static std::shared_ptr<Plugin> acquire();
    virtual ~Plugin();
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;

    /// Returns the plugin's result; it may set the process's activation mask now and at any time later.
    [[nodiscard]] virtual ncclResult_t init(void*& context, const Member& member) = 0;
    /// Null where the plugin gives no handle: then nothing more is said about this event.
    [[nodiscard]] virtual void* start(void* context, DescriptorV5& descriptor) = 0;
    virtual void stop(void* handle) = 0;
    virtual void record(void* handle, EventState state, StateArguments* arguments) = 0;
    virtual void finalize(void* context) = 0;

    /// Whether this NCCL tells of tasks only where the plugin has given a handle for their group (2.26.2 to
    /// 2.27.7).
    [[nodiscard]] static bool tasksNeedGroup();
    /// What the plugin wants to hear about now, EventType bits.
    [[nodiscard]] static std::uint32_t mask();

protected:
    Plugin(std::unique_ptr<PluginLibrary> library, const char* name);
    /// The process-wide mask whose address plugins keep. They write it without telling anyone.
    static int* maskAddress();

private:
    const std::unique_ptr<PluginLibrary> m_library;
    const std::string m_name;
};

} // namespace ringside::nccl::profiler
