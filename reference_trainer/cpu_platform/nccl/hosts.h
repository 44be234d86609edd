// SPDX-License-Identifier: Apache-2.0
// Which ranks share a host, by NCCL's rule: the host's name and boot id, or NCCL_HOSTID instead.
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
    int localRanks = 1; ///< on this rank's host, including itself
    int localRank = 0;
};

/// Returns a text that is equal only on ranks of the same host.
[[nodiscard]] std::string hostIdentity();
/// Publishes this rank's host to the other ranks. Call it before the ranks can be connected.
void announceHost(gloo::rendezvous::Store& store, int rank);
/// Call it after all ranks have connected.
[[nodiscard]] Hosts findHosts(gloo::rendezvous::Store& store, int rank, int size);

} // namespace ringside::nccl
