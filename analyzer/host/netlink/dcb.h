// SPDX-License-Identifier: Apache-2.0
// Priorities of an interface that have their own flow control (PFC), from the kernel's data center bridging
// netlink. The request needs no privilege and changes nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ringside::host {

/// Parses the kernel's answer to an IEEE 802.1Qbb request. Bit n is priority n. Returns null if the answer
/// does not contain it.
[[nodiscard]] std::optional<std::uint8_t> parsePriorities(std::span<const std::byte> answer);

/// Returns null if the driver does not report it, or if there is no such interface.
[[nodiscard]] std::optional<std::uint8_t> pausedPriorities(const std::string& interface);

/// Returns for example "3,5", or "none".
[[nodiscard]] std::string prioritiesText(std::uint8_t priorities);

} // namespace ringside::host
