// SPDX-License-Identifier: Apache-2.0
// Finds how much each host sent to each other host. All figures of a run come from one source, so that they
// can be compared: the messages of NCCL's proxies if they were recorded (profile deep), else what the kernels
// counted on TCP connections, else the program's own ncclSend calls.
#pragma once
#include "model/model.h"

#include <optional>
#include <string_view>
#include <vector>

namespace ringside::metrics {

enum class TrafficSource : std::uint8_t { None, Messages, Tcp, Calls };
/// Returns one sentence on what the figures are of, or what would have to be recorded.
[[nodiscard]] std::string_view trafficSourceText(TrafficSource source);

struct HostTraffic {
    std::size_t sender = 0;   ///< index into Model::hosts
    std::size_t receiver = 0; ///< index into Model::hosts, another one
    std::int64_t bytes = 0;
    /// Messages: the lowest median of a pair of ranks. TCP: bytes over the time in flight. Null for calls.
    std::optional<double> gbs;
    std::optional<std::int64_t> retransmits; ///< segments, of TCP
    /// A rank on the sending host, and the time with the most data in flight (run time), of TCP.
    std::optional<std::size_t> rank;
    std::optional<model::Interval> busiest;
};

struct HostsTraffic {
    TrafficSource source = TrafficSource::None;
    std::vector<HostTraffic> pairs; ///< ordered by sender, then receiver
};
[[nodiscard]] HostsTraffic hostTrafficOf(const model::Model& model);

} // namespace ringside::metrics
