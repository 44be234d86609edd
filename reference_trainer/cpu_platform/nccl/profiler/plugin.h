// SPDX-License-Identifier: Apache-2.0
// The process's profiler plugin. The newer version comes first: ncclProfiler_v5, then v4 (and v7 before them,
// on request), whose structs are filled from those of v5 as in NCCL. It is loaded with the first communicator
// and closed with the last one; a failure to load is final.
#pragma once
#include "profiler/abi.h"
#include "profiler/plugin_library.h"

#include <atomic>
#include <memory>

namespace ringside::nccl::profiler {

/// Identity of a communicator for the plugin.
struct Member {
    std::uint64_t hash = 0;
    const char* name = nullptr; ///< the user's name for the communicator, or null
    int nodes = 1;
    int ranks = 1;
    int rank = 0;
};

/// A loaded plugin. May be used from any thread; a handle must go to the plugin that returned it.
class Plugin {
public:
    /// Returns the process's plugin, null if there is none. Hold it as long as the communicator lives.
    [[nodiscard]] static std::shared_ptr<Plugin> acquire();
    virtual ~Plugin();
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;

    /// Returns the plugin's result. The plugin may set the process's activation mask now and at any later
    /// time.
    [[nodiscard]] virtual ncclResult_t init(void*& context, const Member& member) = 0;
    /// Returns null if the plugin returns no handle: then nothing more is reported about this event.
    [[nodiscard]] virtual void* start(void* context, Descriptor& descriptor) = 0;
    virtual void stop(void* handle) = 0;
    virtual void record(void* handle, EventState state, StateArguments* arguments) = 0;
    virtual void finalize(void* context) = 0;

    /// Returns whether this NCCL version reports tasks only if the plugin has returned a handle for their
    /// group (2.26.2 to 2.27.7).
    [[nodiscard]] static bool tasksNeedGroup();
    /// Returns whether this NCCL version reports phases of kernels on symmetric memory (2.31).
    [[nodiscard]] static bool hasPhases();
    /// Returns the events that the plugin wants now, EventType bits.
    [[nodiscard]] static std::uint32_t mask();

protected:
    Plugin(std::unique_ptr<PluginLibrary> library, const char* name);
    /// Returns the process-wide mask, whose address plugins keep. They write it without notice.
    static int* maskAddress();

private:
    const std::unique_ptr<PluginLibrary> m_library;
    const std::string m_name;
};

} // namespace ringside::nccl::profiler
