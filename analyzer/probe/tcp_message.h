// SPDX-License-Identifier: Apache-2.0
// TCP measurements in messages between leader and agents.
#pragma once
#include "probe/message.h"
#include "probe/tcp_probe.h"

namespace ringside::probe {

[[nodiscard]] inline Message toMessage(const Measurement& measured)
{
    Message message{{"gbps", measured.gbps},
                    {"round_trip_us", measured.roundTripUs},
                    {"round_trip_p99_us", measured.roundTripP99Us},
                    {"bytes", measured.bytes},
                    {"retransmits", measured.retransmits},
                    {"receiver_share", measured.receiverShare},
                    {"sender_share", measured.senderShare}};
    if (measured.roundTripP999Us) {
        message["round_trip_p999_us"] = *measured.roundTripP999Us;
    }
    if (measured.pings && measured.pingsLost) {
        message["pings"] = *measured.pings;
        message["pings_lost"] = *measured.pingsLost;
    }
    return message;
}

/// Returns a number limited to 0 to `most`; null if the message has none.
template <class Number>
[[nodiscard]] std::optional<Number> numberIfAny(const Message& message, const char* name, Number most)
{
    const auto found = message.find(name);
    return found != message.end() && found->is_number() ? std::optional(numberOf(message, name, most))
                                                        : std::nullopt;
}

/// Returns the measurement of an agent's answer; null if there is none. Earlier versions lack members.
[[nodiscard]] inline std::optional<Measurement> measurementOf(const std::optional<Message>& answer)
{
    if (!answer || !answer->contains("measured") || !(*answer)["measured"].is_object()) {
        return std::nullopt;
    }
    constexpr double kMost = 1e12;
    constexpr std::uint64_t kMostCount = 1ULL << 53U;
    const Message& json = (*answer)["measured"];
    return Measurement{numberOf(json, "round_trip_us", kMost),
                       numberOf(json, "round_trip_p99_us", kMost),
                       numberOf(json, "gbps", kMost),
                       numberOf(json, "bytes", kMostCount),
                       numberOf(json, "retransmits", kMostCount),
                       numberOf(json, "receiver_share", 1.0),
                       numberOf(json, "sender_share", 1.0),
                       numberIfAny(json, "round_trip_p999_us", kMost),
                       numberIfAny(json, "pings", kMostCount),
                       numberIfAny(json, "pings_lost", kMostCount)};
}

} // namespace ringside::probe
