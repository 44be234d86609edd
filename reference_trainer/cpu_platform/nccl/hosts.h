// SPDX-License-Identifier: Apache-2.0
// Which ranks share a host, by NCCL's rule: the host's name and boot id, or NCCL_HOSTID in their place.
#pragma once
#include <cstdint>
#include <string>

namespace gloo::rendezvous {
class Store;
}

namespace ringside::nccl {

/// A rank's place among hosts ("nodes").
struct Hosts {
    int nodes = 1;
    int localRanks = 1; ///< on this rank's host, itself included
    int localRank = 0;
};

/// The text that equals on two ranks of one host only.
[[nodiscard]] std::string hostIdentity();
/// Lets the other ranks know this rank's host: before any of them can have met it.
void announceHost(gloo::rendezvous::Store& store, int rank);
/// After all ranks have met.
[[nodiscard]] Hosts findHosts(gloo::rendezvous::Store& store, int rank, int size);

} // namespace ringside::nccl
