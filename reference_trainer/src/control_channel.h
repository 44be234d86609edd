// SPDX-License-Identifier: Apache-2.0
// A star of TCP connections between rank 0 and the others, beside NCCL: it brings the ranks together, carries
// the NCCL unique id, and stays open so that a rank that fails or dies is noticed by all. It carries nothing
// else.
#pragma once
#include "launch_environment.h"
#include "socket.h"

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::trainer {

using Token = std::array<std::byte, 128>; ///< as large as an ncclUniqueId

class ControlChannel final {
public:
    /// Returns when every rank is there. Throws Failure when one is missing after the timeout, when the port
    /// is in use, or when the ranks do not fit together; all ranks that are there get the reason.
    ControlChannel(const RankIdentity& identity, std::chrono::seconds timeout);

    /// Rank 0's token on every rank. Throws Failure when it does not come.
    Token broadcast(const Token& mine);

    /// Waits up to `patience` and says why the job cannot go on, if so: a rank failed or went away.
    [[nodiscard]] std::optional<std::string> awaitTrouble(std::chrono::milliseconds patience);

    /// Tells the others why this rank gives up. May be called from any thread.
    void announceFailure(std::string_view reason);

    /// Says goodbye; without it, the end of this process counts as a failure.
    void finish();

private:
    struct Peer {
        unsigned rank = 0;
        Socket socket;
        bool finished = false;
    };

    void gather();
    void welcome(Socket socket);
    void join();
    [[nodiscard]] std::string missingRanks() const;

    RankIdentity m_identity;
    std::chrono::seconds m_timeout;
    Deadline m_deadline;
    std::vector<Peer> m_peers; ///< rank 0: all others; others: rank 0
};

} // namespace ringside::trainer
