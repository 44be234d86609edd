// SPDX-License-Identifier: Apache-2.0
// The communicators for which NCCL initialized the plugin: what NCCL passed, the activation masks, and
// the collector's communicator that each one is.
#pragma once
#include "profiler/event.h"
#include "record/registry.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace ringside::collector::profiler {

/// A communicator of NCCL's profiler interface. NCCL holds its address. Never freed, because NCCL's
/// proxy threads may use it late.
struct Context {
    unsigned version = 0;
    std::int32_t size = 0; ///< 0: not told (version 3)
    std::int32_t rank = -1;
    std::int32_t device = -1;
    std::uint64_t createdTicks = 0;
    int* mask = nullptr;
    void* theirs = nullptr;             ///< the context of the plugin behind ours; null: it made none
    bool chained = false;               ///< the plugin behind ours takes events of this communicator
    std::atomic<std::uint64_t> hash{0}; ///< NCCL's own; 0: not told (version 3: with the first operation)
    std::atomic<Communicator*> communicator{nullptr}; ///< null: not known yet
    std::atomic<bool> named{true};                    ///< false: `communicator` has yet to be given the hash
    std::atomic<bool> open{true};
    std::array<char, 64> name{};
    Context* next = nullptr;
};

/// Links the context to a communicator. The drain thread then writes its name.
void bind(Context& context, Communicator* communicator);

class Contexts final {
public:
    /// Also remembers the mask. Null when there is no memory.
    Context* open(unsigned version, int* mask, std::int32_t size, std::int32_t rank, std::uint64_t hash,
                  const char* name);
    /// The context of a communicator that was made since `sinceTicks` by the calling program's call: null
    /// unless just one fits.
    [[nodiscard]] Context* unboundSince(std::uint64_t sinceTicks, std::int32_t size, std::int32_t rank) const;
    /// Whether there is one for NCCL's communicator `hash`, of this API version or a later one.
    [[nodiscard]] bool anyOpen(std::uint64_t hash, unsigned version) const;
    /// Lets go of the mask with its last context: NCCL may be unloaded then. False: it was closed already.
    bool close(Context& context);
    /// Sets every mask to what `wanted(version)` says. A mask of NCCL's is written only while a communicator
    /// of its is open.
    template <class Wanted>
    void setMasks(Wanted&& wanted)
    {
        const std::scoped_lock lock(m_mutex);
        for (const MaskUse& use : m_masks) {
            if (use.mask != nullptr) {
                std::atomic_ref(*use.mask).store(static_cast<int>(wanted(use.version)),
                                                 std::memory_order_relaxed);
            }
        }
    }
    /// Gives the communicators that are known by now NCCL's hash and name. Drain thread.
    void nameCommunicators(Registry& registry);

private:
    struct MaskUse {
        int* mask = nullptr; ///< null: free
        unsigned version = 0;
        int contexts = 0;
    };
    std::mutex m_mutex;
    std::array<MaskUse, 8> m_masks{}; ///< one for each NCCL in the process
    std::atomic<Context*> m_first{nullptr};
};

} // namespace ringside::collector::profiler
