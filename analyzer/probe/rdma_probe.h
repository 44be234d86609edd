// SPDX-License-Identifier: Apache-2.0
// One direction between two hosts over RDMA: small writes into the other host's memory measure the latency,
// large ones the bandwidth. The receiver's CPU is not involved. Bytes and time are limited. For the lifetime
// of the connection, the peer may write into 1 MiB of this process's memory.
#pragma once
#include "host/verbs/library.h"
#include "probe/rdma_choice.h"
#include "probe/rdma_result.h"
#include "probe/tcp_probe.h"

#include <memory>
#include <vector>

namespace ringside::probe {

namespace verbs = host::verbs;

/// Returns libibverbs if it has all functions that a connection needs, else null. It stays loaded.
[[nodiscard]] const verbs::Library* writingLibrary();

/// The address of one end of a connection.
struct RdmaAddress {
    std::uint32_t pair = 0;
    std::uint32_t sequence = 0;
    std::uint16_t lid = 0;
    int mtu = verbs::kSmallestMtu;
    verbs::Gid gid{};
    std::uint64_t memory = 0;
    std::uint32_t key = 0;
};

class RdmaConnection final {
public:
    /// Throws ringside::Error (Io) with the refused operation.
    explicit RdmaConnection(const RdmaPort& port);

    [[nodiscard]] RdmaAddress address() const;
    /// Returns false if the device refuses to connect to this peer.
    [[nodiscard]] bool join(const RdmaAddress& peer);
    /// Measures after join(); the peer must have joined, too.
    [[nodiscard]] RdmaResult measure(const Bounds& bounds);

private:
    using Clock = std::chrono::steady_clock;
    template <class Thing>
    using Owned = std::unique_ptr<Thing, int (*)(Thing*)>;

    [[nodiscard]] bool readyToReceive(const RdmaAddress& peer);
    [[nodiscard]] bool readyToSend();
    [[nodiscard]] bool post(std::size_t place, std::uint32_t bytes);
    [[nodiscard]] bool awaitOne(Clock::time_point last);
    [[nodiscard]] std::vector<double> ping(const Bounds& bounds);
    [[nodiscard]] bool burst(const Bounds& bounds, RdmaMeasurement& result);

    const verbs::Library& m_verbs;
    RdmaPort m_port;
    std::vector<std::byte> m_buffer;
    Owned<verbs::Context> m_context;
    Owned<verbs::Domain> m_domain;
    Owned<verbs::Memory> m_memory;
    Owned<verbs::CompletionQueue> m_queue;
    Owned<verbs::QueuePair> m_pair;
    verbs::PortAttributes m_attributes{};
    alignas(8) verbs::Gid m_gid{}; ///< written as two numbers
    std::uint32_t m_sequence;
    RdmaAddress m_peer;
    std::string m_trouble;
};

} // namespace ringside::probe
