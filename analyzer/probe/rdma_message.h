// SPDX-License-Identifier: Apache-2.0
// RDMA in messages between leader and agents: addresses of connections, and results.
#pragma once
#include "probe/message.h"
#include "probe/rdma_probe.h"
#include "values/parse_number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside::probe {

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
