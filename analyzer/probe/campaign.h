// SPDX-License-Identifier: Apache-2.0
// A probe of all pairs of hosts. One process is the leader. The user's launcher starts an agent on each host.
// The agent connects to the leader, presents the token that it was started with, and measures or serves as
// ordered until the leader closes the connection.
#pragma once
#include "probe/matrix.h"

namespace ringside::probe {

struct Campaign {
    std::vector<std::string> launchers; ///< shell commands that start a program on hosts
    /// address under which other hosts reach this host; empty: its host name
    std::string leader;
    std::size_t hosts = 0; ///< number of hosts to wait for
    int patienceS = 120;   ///< for all hosts together; schedulers may start jobs late
    Bounds bounds;
    bool perftest = false; ///< RDMA is measured by perftest's programs, which all hosts must have
};

/// Starts the agents, measures all directions, and ends the agents. Hosts that do not answer, whose launcher
/// failed, or that stop answering are left out and named. Throws ringside::Error (Unusable) if fewer than two
/// hosts answer.
[[nodiscard]] Matrix lead(const Campaign& campaign);

struct Agent {
    Endpoint leader;
    std::string token;
};

/// Obeys the leader until it closes the connection. Throws ringside::Error (Io) if the leader cannot be
/// reached.
void follow(const Agent& agent);

} // namespace ringside::probe
