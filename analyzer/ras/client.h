// SPDX-License-Identifier: Apache-2.0
// Asks the RAS of a running NCCL job over the loopback, as NCCL's own program ncclras does
// (src/ras/client.cc, protocol 2).
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace ringside::ras {

inline constexpr std::size_t kMostRasAnswerBytes = std::size_t{16} << 20U; ///< of 30,000 ranks

struct RasReply {
    std::string answer; ///< JSON or text; empty: none
    std::string whyNot; ///< why there is none
};

/// `address` is the value of NCCL_RAS_ADDR, null for NCCL's default. Only addresses of the loopback are
/// asked. Returns at the latest after `limitMs`, and soon after `stop` (an eventfd) becomes readable.
[[nodiscard]] RasReply askRas(const std::optional<std::string>& address, int stop, std::int64_t limitMs);

} // namespace ringside::ras
