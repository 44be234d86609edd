// SPDX-License-Identifier: Apache-2.0
// Who waits for whom: a graph of ranks and of the calls that they wait in. A rank leads to the calls in which
// it waits, and a call to the ranks that it waits for. Whoever all ways lead to is the origin: a rank that
// waits for nobody, or a circle of ranks that wait for each other. A rank on the way is a victim.
#pragma once
#include "hang/hang.h"

namespace ringside::hang {

/// Returns all origins, that of a contradiction between ranks first, then by the number of ranks that wait
/// for them. Chains are indices into `stuck`.
[[nodiscard]] std::vector<Origin> originsOf(const std::vector<StuckCollective>& stuck);

/// Sorts the collectives: those that wait for the first origin come first, then those that wait for ranks in
/// these, and so on.
void orderByOrigin(std::vector<StuckCollective>& stuck);

/// A rank that waits for another one, and to whom it sends a message that the latter does not expect, while a
/// third waits for a message of it: the sender named the wrong peer. Turns the two calls into one that
/// differs.
void findWrongPeers(std::vector<StuckCollective>& stuck);

} // namespace ringside::hang
