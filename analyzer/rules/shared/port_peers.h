// SPDX-License-Identifier: Apache-2.0
// Which ports of a run may be compared with each other: those of the same adapter in the same place that do
// the same work. A bond for storage, a slow port for management and the second port of an adapter are no
// peers of a rail.
#pragma once
#include "rules/shared/ports.h"

#include <span>

namespace ringside::rules {

/// What a port is there for, as far as its name, its interface and its rate tell.
enum class PortRole : std::uint8_t { Rail, Bond, Storage, Management };

/// A port is for management if it has at most a quarter of the rate of its host's fastest active port.
/// `ports` are those of the run, ordered by host.
[[nodiscard]] PortRole roleOf(std::span<const metrics::Port> ports, const metrics::Port& port);
[[nodiscard]] PortRole roleOf(const Context& context, const metrics::Port& port);
/// Returns "compute rail", "bond", "storage" or "management"; "switched off" for a port that somebody
/// disabled; empty for one of a switch.
[[nodiscard]] std::string_view roleName(std::span<const metrics::Port> ports, const metrics::Port& port);

/// Returns the same text for ports that are peers: driver, adapter, board, link layer, function of the card,
/// number of the port, and whether it is a bond. A port of a switch, or of
/// an adapter of which only its place in the fabric is known, has no peers.
[[nodiscard]] std::string kindOf(const metrics::Port& port);

/// Returns the other ports of that kind on the same host.
[[nodiscard]] std::vector<const metrics::Port*> siblingsOf(const Context& context, const metrics::Port& port);

/// Returns true if the port's last state was active.
[[nodiscard]] bool isActive(const metrics::Port& port);

/// Amazon's EFA: it retransmits by design, over many paths, and knows neither PFC nor NCCL_IB_TIMEOUT.
[[nodiscard]] bool isEfa(const metrics::Port& port);

} // namespace ringside::rules
