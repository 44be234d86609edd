// SPDX-License-Identifier: Apache-2.0
// A communicator as the profiler plugin knows it: the plugin's context, and how many collectives of each
// function it has launched.
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
    /// Tells the plugin about a new communicator. Null where there is no plugin, or it refuses.
    [[nodiscard]] static std::shared_ptr<CommunicatorProfile> open(const Member& member);
    ~CommunicatorProfile();
    CommunicatorProfile(const CommunicatorProfile&) = delete;
    CommunicatorProfile& operator=(const CommunicatorProfile&) = delete;

    /// Tells the plugin that the communicator is gone, once. No event may follow.
    void close();

    [[nodiscard]] Plugin& plugin() const { return *m_plugin; }
    [[nodiscard]] const std::shared_ptr<Plugin>& sharedPlugin() const { return m_plugin; }
    [[nodiscard]] int rank() const { return m_rank; }
    /// Starts an event in this communicator's context; returns its handle, null where the plugin gave none.
    [[nodiscard]] void* start(DescriptorV5& descriptor) const;
    /// Ends an event; nothing for null.
    void stop(void* handle) const;
    /// The number of the next collective of a numbered function, from 0; nextSequence also counts it.
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
