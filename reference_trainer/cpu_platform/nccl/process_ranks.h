// SPDX-License-Identifier: Apache-2.0
// The ranks of one communicator that live in this process. A program with one thread and several devices
// destroys them one after the other, but they can take leave of each other only together: the last one to be
// destroyed does it for all, as in the real library.
#pragma once
#include "unique_id.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace ringside::nccl {

class Communicator;

class ProcessRanks final {
public:
    /// The ranks that join by this id.
    [[nodiscard]] static std::shared_ptr<ProcessRanks> of(const UniqueId& id);

    /// Failure(ncclInvalidUsage) when another rank of this communicator uses the device already.
    void join(int rank, int device);
    /// The rank needs no farewell (any more).
    void forget(int rank);
    /// Takes the rank's communicator along to the common farewell; returns after it if this was the last one.
    void leave(const std::shared_ptr<Communicator>& communicator);

private:
    std::vector<std::shared_ptr<Communicator>> takeLeavingLocked();

    std::mutex m_mutex;
    std::map<int, int> m_devices; ///< by rank, of those that have not taken leave
    std::vector<std::shared_ptr<Communicator>> m_leaving;
};

} // namespace ringside::nccl
