// SPDX-License-Identifier: Apache-2.0
// The plugin behind ours: one that was configured before us goes on working. It gets the events that NCCL
// would have given it, in the version that it speaks, and its own handles as parents; what only ours asks for
// it never sees.
#pragma once
#include "profiler/chain_library.h"
#include "profiler/event.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace ringside::collector::profiler {

/// What NCCL says of a communicator when it opens a plugin for it.
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
    /// Looks for the plugin, once, when NCCL opens ours: NCCL itself would do it then.
    void load(unsigned ncclVersion);
    [[nodiscard]] bool active() const { return m_active.load(std::memory_order_acquire); }
    /// Whether an NCCL of this version could have called it.
    [[nodiscard]] bool speaks(unsigned ncclVersion) const { return active() && m_version <= ncclVersion; }
    /// Events it wants now: it may change its mask at any time.
    [[nodiscard]] std::uint64_t mask() const;
    /// Whether NCCL would tell it of such an event. NCCL tells of an event also for the sake of those below.
    [[nodiscard]] bool serves(std::uint64_t type) const;

    /// What its init returns: the one result that NCCL looks at.
    Result open(void** context, const Opening& opening);
    void close(void* context) const;
    /// Its handle; null: it does not want to hear more. `parent` and `group` are its own handles.
    void* start(void* context, const Event& event, void* parent, void* group) const;
    void stop(void* handle) const;
    /// `arguments` are those of NCCL's version, which may be null.
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
    int m_mask = 0; ///< theirs to write
    std::string* m_name = nullptr;
    std::string* m_reason = nullptr;
};

} // namespace ringside::collector::profiler
