// SPDX-License-Identifier: Apache-2.0
// One direction between two hosts over RDMA: small writes into the other's memory for the latency, then large
// ones for the bandwidth. The receiver's processor has no part in it. Bounded by bytes and time; what it
// gives away is leave to write into 1 MiB of its own, for as long as the connection lives.
#pragma once
#include "host/verbs/library.h"
#include "probe/rdma_choice.h"
#include "probe/rdma_result.h"
#include "probe/tcp_probe.h"

#include <memory>
#include <vector>

namespace ringside::probe {

namespace verbs = host::verbs;

/// libibverbs with all that a connection needs; null where it is not there, or lacks a function. It stays
/// loaded.
[[nodiscard]] const verbs::Library* writingLibrary();

/// What one end must know of the other.
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
    /// Throws ringside::Error (Io) with what the library or the device refused.
    explicit RdmaConnection(const RdmaPort& port);

    [[nodiscard]] RdmaAddress address() const;
    /// False: the device refused to connect to such a peer.
    [[nodiscard]] bool join(const RdmaAddress& peer);
    /// After join; the peer must have joined, too.
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
