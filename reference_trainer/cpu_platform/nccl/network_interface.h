// SPDX-License-Identifier: Apache-2.0
// Which local address the emulated NCCL uses, by NCCL's own variable or the first that other hosts can reach.
#pragma once
#include "socket.h"

#include <string_view>

namespace ringside::nccl {

/// True when the user fixed the interface by NCCL_SOCKET_IFNAME.
[[nodiscard]] bool interfaceIsForced();
/// The address of the interface to use, port 0: what NCCL_SOCKET_IFNAME allows, else the first non-loopback
/// interface that is up, else loopback; IPv4 before IPv6. Failure(ncclSystemError) when there is none.
[[nodiscard]] Address chooseInterface();
/// NCCL_SOCKET_IFNAME's grammar: a comma list of prefixes; "=" in front means whole names, "^" means all but
/// these.
[[nodiscard]] bool interfaceMatches(std::string_view pattern, std::string_view name);

} // namespace ringside::nccl
