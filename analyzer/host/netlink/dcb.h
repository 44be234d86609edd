// SPDX-License-Identifier: Apache-2.0
// Which priorities of an interface have flow control of their own (PFC), by the kernel's data center bridging
// netlink. Asking needs no privilege; it changes nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ringside::host {

/// Bit n: priority n, of the kernel's answer to a question about IEEE 802.1Qbb. Nothing: it does not say.
[[nodiscard]] std::optional<std::uint8_t> parsePriorities(std::span<const std::byte> answer);

/// Nothing: the driver does not tell, or there is no such interface.
[[nodiscard]] std::optional<std::uint8_t> pausedPriorities(const std::string& interface);

/// "3,5", or "none".
[[nodiscard]] std::string prioritiesText(std::uint8_t priorities);

} // namespace ringside::host
