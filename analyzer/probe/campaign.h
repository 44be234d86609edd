// SPDX-License-Identifier: Apache-2.0
// A probe of all pairs of hosts. One process leads; the user's launcher starts an agent on each host, which
// connects to the leader, shows the token that it was started with, and measures or serves as it is told
// until the leader hangs up.
#pragma once
#include "probe/matrix.h"

namespace ringside::probe {

struct Campaign {
    std::vector<std::string> launchers; ///< commands of the shell that start a program on hosts
    std::string leader;                 ///< address of this host as the others reach it; empty: its host name
    std::size_t hosts = 0;              ///< to wait for
    Bounds bounds;
};

/// Starts the agents, measures all directions, ends the agents. Throws ringside::Error (Unusable) when fewer
/// hosts than were announced answered.
[[nodiscard]] Matrix lead(const Campaign& campaign);

struct Agent {
    Endpoint leader;
    std::string token;
};

/// Does what the leader says until it hangs up. Throws ringside::Error (Io) when the leader cannot be
/// reached.
void follow(const Agent& agent);

} // namespace ringside::probe
