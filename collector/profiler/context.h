// SPDX-License-Identifier: Apache-2.0
// The communicators for which NCCL initialized the plugin: what NCCL passed, the activation masks, and
// the collector's communicator that each one is.
#pragma once
#include "profiler/event.h"
#include "profiler/kept_mask.h"
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
    std::int32_t size = 0; ///< 0 if not reported (version 3)
    std::int32_t rank = -1;
    std::int32_t device = -1;
    std::uint64_t createdTicks = 0;
    int* mask = nullptr;
    void* theirs = nullptr; ///< context of the chained plugin; null if it created none
    bool chained = false;   ///< the chained plugin receives events of this communicator
    /// NCCL's own; 0 if not reported yet (version 3: with the first operation).
    std::atomic<std::uint64_t> hash{0};
    std::atomic<Communicator*> communicator{nullptr}; ///< null if not known yet
    std::atomic<bool> named{true};                    ///< false until `communicator` has received the hash
    std::atomic<bool> open{true};
    std::array<char, 64> name{};
    Context* next = nullptr;
};

/// Links the context to a communicator. The drain thread then writes its name.
void bind(Context& context, Communicator* communicator);

class Contexts final {
public:
    /// Also remembers the mask. Returns null if memory is exhausted.
    Context* open(unsigned version, int* mask, std::int32_t size, std::int32_t rank, std::uint64_t hash,
                  const char* name);
    /// Returns the context of a communicator that the calling thread's call has created since `sinceTicks`;
    /// null unless exactly one fits.
    [[nodiscard]] Context* unboundSince(std::uint64_t sinceTicks, std::int32_t size, std::int32_t rank) const;
    /// Returns whether there is one for NCCL's communicator `hash`, of this API version or a later one.
    [[nodiscard]] bool anyOpen(std::uint64_t hash, unsigned version) const;
    /// Forgets the mask together with its last context, because NCCL may be unloaded then. Returns false if
    /// the context was closed already.
    bool close(Context& context);
    /// Sets every mask to `wanted(version)` where that has changed. A mask of NCCL is written only while a
    /// communicator of that NCCL is open.
    template <class Wanted>
    void setMasks(Wanted&& wanted)
    {
        const std::scoped_lock lock(m_mutex);
        for (MaskUse& use : m_masks) {
            if (use.mask != nullptr) {
                use.kept.store(*use.mask, static_cast<int>(wanted(use.version)));
            }
        }
    }
    /// Passes NCCL's hash and name to the communicators that are known by now. Called on the drain thread.
    void nameCommunicators(Registry& registry);

private:
    struct MaskUse {
        int* mask = nullptr; ///< null if free
        unsigned version = 0;
        int contexts = 0;
        KeptMask kept = {};
    };
    std::mutex m_mutex;
    std::array<MaskUse, 8> m_masks{}; ///< one for each copy of NCCL in the process
    std::atomic<Context*> m_first{nullptr};
};

} // namespace ringside::collector::profiler
