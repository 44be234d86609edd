// SPDX-License-Identifier: Apache-2.0
// The leader's part in measuring RDMA: directions of a round, in which no host plays twice.
#pragma once
#include "probe/matrix.h"
#include "probe/player.h"

namespace ringside::probe {

/// Fills in the round's directions of Matrix::rdma, or why they could not be measured.
void playRdma(std::vector<Player>& players, const std::vector<Direction>& round, const Bounds& bounds,
              Matrix& matrix);

} // namespace ringside::probe
