// SPDX-License-Identifier: Apache-2.0
// A star of TCP connections between rank 0 and the others, beside NCCL: it is the rendezvous of the ranks,
// carries the NCCL unique id, and stays open so that all ranks notice when one fails or dies. It carries
// nothing else.
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
    /// Returns when every rank is connected. Throws Failure if one is missing after the timeout, if the port
    /// is in use, or if the ranks do not fit together; all connected ranks get the reason.
    ControlChannel(const RankIdentity& identity, std::chrono::seconds timeout);

    /// Returns rank 0's token on every rank. Throws Failure if it does not arrive.
    Token broadcast(const Token& mine);

    /// Waits up to `patience` and returns why the job cannot continue, if so: a rank failed or disconnected.
    [[nodiscard]] std::optional<std::string> awaitFailure(std::chrono::milliseconds patience);

    /// Sends the reason why this rank gives up to the others. May be called from any thread.
    void announceFailure(std::string_view reason);

    /// Sends a goodbye message; without it, the end of this process counts as a failure.
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
