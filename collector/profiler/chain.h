// SPDX-License-Identifier: Apache-2.0
// The chained plugin: a profiler plugin that was configured before the collector keeps working. It gets
// the events that NCCL would have given it, in its own version and with its own handles as parents. It
// does not get events that only the collector asked for.
#pragma once
#include "profiler/chain_library.h"
#include "profiler/event.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace ringside::collector::profiler {

/// What NCCL passes about a communicator when it initializes a plugin.
struct Opening {
    std::uint64_t hash = 0;
    const char* name = nullptr;
    int nodes = 0;
    int ranks = 0;
    int rank = -1;
    Logger logger = nullptr;
};

class Chain final {
public:
    /// Loads the plugin, once, when NCCL opens the collector: NCCL itself would load it at that time.
    void load(unsigned ncclVersion);
    [[nodiscard]] bool active() const { return m_active.load(std::memory_order_acquire); }
    /// Whether an NCCL of this version could have used it.
    [[nodiscard]] bool speaks(unsigned ncclVersion) const { return active() && m_version <= ncclVersion; }
    /// The events that it wants now. It may change its mask at any time.
    [[nodiscard]] std::uint64_t mask() const;
    /// Whether NCCL would report such an event to it. NCCL reports an event also if only its children
    /// are wanted.
    [[nodiscard]] bool serves(std::uint64_t type) const;

    /// Returns the result of its init, the only result that NCCL checks.
    Result open(void** context, const Opening& opening);
    void close(void* context) const;
    /// Returns its handle. Null: it wants no more of this event. `parent` and `group` are its own
    /// handles.
    void* start(void* context, const Event& event, void* parent, void* group) const;
    void stop(void* handle) const;
    /// `arguments`: those of NCCL's version; may be null.
    void state(void* handle, State state, unsigned ncclVersion, void* arguments) const;

    /// What it is ("NAME, API 4"), and what is wrong with it. Drain thread.
    [[nodiscard]] std::string description();
    [[nodiscard]] std::string reason();
    void fail(const std::string& reason);

private:
    template <class Function>
    auto call(Function&& function) const;

    std::mutex m_mutex; ///< of loading and of the texts
    bool m_loaded = false;
    std::atomic<bool> m_active{false};
    const void* m_plugin = nullptr;
    unsigned m_version = 0;
    int m_mask = 0; ///< written by the chained plugin
    std::string* m_name = nullptr;
    std::string* m_reason = nullptr;
};

} // namespace ringside::collector::profiler
