// SPDX-License-Identifier: Apache-2.0
// RDMA measurements of the leader: the directions of a round, in which each host occurs once. Each rail is
// measured with its counterpart, one rail of a host at a time, so that rails do not disturb each other.
#pragma once
#include "probe/campaign.h"
#include "probe/message.h"
#include "probe/rdma_result.h"

namespace ringside::probe {

// A host as the leader sees it.

struct ProbedHost {
    std::string name;
    std::string interface;
    std::string address;
    double interfaceMbps = 0; ///< rate of the interface; 0: not known
    RdmaEnd rdma;
    LineConnection connection;
    /// It did not answer once. What it may still say would be taken for the answer to another question.
    bool isGone = false;
};

/// Sends an order; false if the host is gone.
[[nodiscard]] inline bool order(ProbedHost& host, const Message& what)
{
    host.isGone = host.isGone || !sendMessage(host.connection, what);
    return !host.isGone;
}
/// Returns the next answer; null if the host is gone, or is gone from now on.
[[nodiscard]] inline std::optional<Message> answerOf(ProbedHost& host)
{
    auto answer = host.isGone ? std::nullopt : receiveMessage(host.connection);
    host.isGone = !answer;
    return answer;
}

/// A measurement of a round.
struct Direction {
    std::size_t sender = 0;
    std::size_t receiver = 0;
    bool served = false;
};

/// Fills in the round's directions of Matrix::rdma, or the reason why they could not be measured.
void measureRdmaRound(std::vector<ProbedHost>& hosts, const std::vector<Direction>& round,
                      const Campaign& campaign, Matrix& matrix);
/// Measures one rail of a direction again. `rail`: index into RdmaDirection::rails.
void measureRail(std::vector<ProbedHost>& hosts, const Direction& direction, std::size_t rail,
                 const Campaign& campaign, Matrix& matrix);

} // namespace ringside::probe
