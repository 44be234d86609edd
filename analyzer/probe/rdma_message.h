// SPDX-License-Identifier: Apache-2.0
// RDMA in messages between leader and agents: addresses of connections, and results.
#pragma once
#include "host/verbs/library.h"
#include "probe/message.h"
#include "probe/rdma_choice.h"
#include "probe/rdma_result.h"
#include "probe/tcp_probe.h"
#include "values/parse_number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <vector>

namespace ringside::probe {

// One direction between two hosts over RDMA: small writes into the other host's memory measure the latency,
// large ones the bandwidth. The receiver's CPU is not involved. Bytes and time are limited. For the lifetime
// of the connection, the peer may write into 1 MiB of this process's memory.

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

[[nodiscard]] inline Message toMessage(const RdmaAddress& address)
{
    return {{"pair", address.pair},
            {"sequence", address.sequence},
            {"lid", address.lid},
            {"mtu", address.mtu},
            {"gid", fmt::format("{:02x}", fmt::join(address.gid, ""))},
            {"memory", address.memory},
            {"key", address.key}};
}

/// Numbers out of range are clamped. The device checks all of them.
[[nodiscard]] inline RdmaAddress addressOf(const Message& message)
{
    constexpr std::uint32_t kMost = 0xffffffff;
    constexpr std::uint16_t kMostLid = 0xffff;
    constexpr std::uint64_t kMostMemory = 1ULL << 53U;
    constexpr int kHexadecimal = 16;
    RdmaAddress address{numberOf(message, "pair", kMost),
                        numberOf(message, "sequence", kMost),
                        numberOf(message, "lid", kMostLid),
                        numberOf(message, "mtu", verbs::kLargestMtu),
                        {},
                        numberOf(message, "memory", kMostMemory),
                        numberOf(message, "key", kMost)};
    const std::string gid = wordOf(message, "gid");
    for (std::size_t i = 0; i < address.gid.size() && gid.size() == 2 * address.gid.size(); ++i) {
        const std::string_view digits = std::string_view(gid).substr(2 * i, 2);
        address.gid[i] = values::parseNumber<std::uint8_t>(digits, kHexadecimal).value_or(0);
    }
    return address;
}

/// Returns the rails that an agent tells of, at most kMostRails. Agents of earlier versions tell of one port.
[[nodiscard]] inline RdmaEnd rdmaEndOf(const Message& message)
{
    constexpr double kMostMbps = 1e8;
    RdmaEnd end{{}, wordOf(message, "reason")};
    const auto add = [&](const Message& rail) {
        if (const std::string port = wordOf(rail, "port"); !port.empty() && end.rails.size() < kMostRails) {
            end.rails.push_back({port, numberOf(rail, "mbps", kMostMbps)});
        }
    };
    const auto rails = message.find("rails");
    if (rails == message.end() || !rails->is_array()) {
        add(message);
        return end;
    }
    for (const Message& rail : *rails) {
        add(rail);
    }
    return end;
}

[[nodiscard]] inline Message toMessage(const RdmaResult& result)
{
    if (!result.measured) {
        return {{"rdma", nullptr}, {"reason", result.reason}};
    }
    const RdmaMeasurement& measured = *result.measured;
    return {{"rdma",
             {{"write_us", measured.writeUs},
              {"write_p99_us", measured.writeP99Us},
              {"gbps", measured.gbps},
              {"bytes", measured.bytes},
              {"lost", measured.lost ? Message(*measured.lost) : Message()}}}};
}

[[nodiscard]] inline RdmaResult rdmaResultOf(const std::optional<Message>& answer)
{
    constexpr double kMost = 1e12;
    constexpr std::uint64_t kMostCount = 1ULL << 53U;
    if (!answer) {
        return {std::nullopt, "its agent did not answer"};
    }
    const auto found = answer->find("rdma");
    if (found == answer->end() || !found->is_object()) {
        return {std::nullopt, wordOf(*answer, "reason")};
    }
    RdmaMeasurement measured{numberOf(*found, "write_us", kMost), numberOf(*found, "write_p99_us", kMost),
                             numberOf(*found, "gbps", kMost), numberOf(*found, "bytes", kMostCount),
                             std::nullopt};
    if (const auto lost = found->find("lost"); lost != found->end() && lost->is_number()) {
        measured.lost = numberOf(*found, "lost", kMostCount);
    }
    return {measured, {}};
}

} // namespace ringside::probe
