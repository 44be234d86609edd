// SPDX-License-Identifier: Apache-2.0
// RDMA measurements of the leader: the directions of a round, in which each host occurs once. Each rail is
// measured with its counterpart, one rail of a host at a time, so that rails do not disturb each other.
#pragma once
#include "probe/campaign.h"
#include "probe/probed_host.h"

namespace ringside::probe {

/// Fills in the round's directions of Matrix::rdma, or the reason why they could not be measured.
void measureRdmaRound(std::vector<ProbedHost>& hosts, const std::vector<Direction>& round,
                      const Campaign& campaign, Matrix& matrix);
/// Measures one rail of a direction again. `rail`: index into RdmaDirection::rails.
void measureRail(std::vector<ProbedHost>& hosts, const Direction& direction, std::size_t rail,
                 const Campaign& campaign, Matrix& matrix);

} // namespace ringside::probe
