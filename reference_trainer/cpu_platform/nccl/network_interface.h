// SPDX-License-Identifier: Apache-2.0
// The local address that the emulated NCCL uses: by NCCL_SOCKET_IFNAME, or the first that other hosts can
// reach.
#pragma once
#include "socket.h"

#include <string_view>

namespace ringside::nccl {

/// Returns true if NCCL_SOCKET_IFNAME is set.
[[nodiscard]] bool interfaceIsForced();
/// Returns the address of the interface to use, with port 0: the one that NCCL_SOCKET_IFNAME allows, else the
/// first non-loopback interface that is up, else loopback; IPv4 before IPv6. Throws Failure(ncclSystemError)
/// if there is none.
[[nodiscard]] Address chooseInterface();
/// Matches a name against NCCL_SOCKET_IFNAME: a comma-separated list of prefixes; a leading "=" means whole
/// names, "^" means all but these.
[[nodiscard]] bool interfaceMatches(std::string_view pattern, std::string_view name);

} // namespace ringside::nccl
