// SPDX-License-Identifier: Apache-2.0
// A communicator as seen by the profiler plugin: the plugin's context, and the number of collectives launched
// for each function.
#pragma once
#include "profiler/plugin.h"

#include <array>
#include <atomic>
#include <memory>

namespace ringside::nccl::profiler {

/// The functions that NCCL numbers for each communicator, as in ncclFunc_t.
constexpr std::size_t kNumberedFunctions = 5;

class CommunicatorProfile final {
public:
    /// Reports a new communicator to the plugin. Returns null if there is no plugin, or if it refuses.
    [[nodiscard]] static std::shared_ptr<CommunicatorProfile> open(const Member& member);
    ~CommunicatorProfile();
    CommunicatorProfile(const CommunicatorProfile&) = delete;
    CommunicatorProfile& operator=(const CommunicatorProfile&) = delete;

    /// Reports the end of the communicator to the plugin, once. No event may follow.
    void close();

    [[nodiscard]] Plugin& plugin() const { return *m_plugin; }
    [[nodiscard]] const std::shared_ptr<Plugin>& sharedPlugin() const { return m_plugin; }
    [[nodiscard]] int rank() const { return m_rank; }
    /// Starts an event in this communicator's context; returns its handle, null if the plugin returned none.
    [[nodiscard]] void* start(Descriptor& descriptor) const;
    /// Ends an event; ignores null.
    void stop(void* handle) const;
    /// Returns the number of the next collective of a numbered function, from 0; nextSequence also increments
    /// it.
    [[nodiscard]] std::uint64_t sequence(std::size_t function) const { return m_sequences[function]; }
    [[nodiscard]] std::uint64_t nextSequence(std::size_t function) { return m_sequences[function]++; }

private:
    CommunicatorProfile(std::shared_ptr<Plugin> plugin, int rank) : m_plugin(std::move(plugin)), m_rank(rank)
    {}

    const std::shared_ptr<Plugin> m_plugin;
    const int m_rank;
    void* m_context = nullptr;
    std::atomic<bool> m_open = false;
    std::array<std::atomic<std::uint64_t>, kNumberedFunctions> m_sequences{};
};

} // namespace ringside::nccl::profiler
