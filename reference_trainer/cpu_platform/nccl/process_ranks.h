// SPDX-License-Identifier: Apache-2.0
// The ranks of one communicator in this process. A program with one thread and several devices destroys them
// one after the other, but they can only leave together: the last one to be destroyed disconnects all, as in
// the real library.
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
    /// Returns the ranks that join by this id.
    [[nodiscard]] static std::shared_ptr<ProcessRanks> of(const UniqueId& id);

    /// Throws Failure(ncclInvalidUsage) if another rank of this communicator already uses the device.
    void join(int rank, int device);
    /// The rank does not take part in the common end any more.
    void forget(int rank);
    /// Adds the rank's communicator to the common end; if it is the last one, returns after this end.
    void leave(const std::shared_ptr<Communicator>& communicator);

private:
    std::vector<std::shared_ptr<Communicator>> takeLeavingLocked();

    std::mutex m_mutex;
    std::map<int, int> m_devices; ///< by rank, of those that have not left
    std::vector<std::shared_ptr<Communicator>> m_leaving;
};

} // namespace ringside::nccl
