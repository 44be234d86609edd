// SPDX-License-Identifier: Apache-2.0
// One rank's communicator: its rank, its connections, its error state, and the number of operations that use
// it. Operations hold it by shared_ptr, so that an abort need not wait for operations that have not started.
// It is complete from its construction on; programs hold a handle (handle.h), which exists earlier.
#pragma once
#include "mesh.h"
#include "operation.h"
#include "operators.h"
#include "process_ranks.h"
#include "registrations.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ringside::nccl {

/// A rank's place among all ranks.
struct Place {
    int rank = 0;
    int size = 1;
    int device = 0;
    /// For each rank, its number in the first communicator of the chain of splits. Empty: its own number.
    std::vector<int> worldRanks = {};
    /// The program's name for the communicator, for tools; may be empty.
    std::string name = {};
};

class Communicator final : public std::enable_shared_from_this<Communicator> {
public:
    /// Connects to the other ranks; see Mesh.
    Communicator(const UniqueId& id, Place place);
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    [[nodiscard]] int rank() const { return m_place.rank; }
    [[nodiscard]] int size() const { return m_place.size; }
    [[nodiscard]] int device() const { return m_place.device; }
    [[nodiscard]] int worldRank(int rank) const;
    [[nodiscard]] Operators& operators() { return m_operators; }
    [[nodiscard]] const Algorithms& algorithms() const { return m_algorithms; }
    [[nodiscard]] Registrations& registrations() { return m_registrations; }
    /// Returns null for a single rank.
    [[nodiscard]] Mesh* mesh() const { return m_mesh.get(); }
    [[nodiscard]] std::uint64_t hash() const { return m_hash; }
    [[nodiscard]] Hosts hosts() const { return m_mesh ? m_mesh->hosts() : Hosts(); }
    /// Returns the profiler plugin's view of it; null without a plugin.
    [[nodiscard]] const std::shared_ptr<profiler::CommunicatorProfile>& profile() const { return m_profile; }
    /// Reports the end of the communicator to the plugin. No operation may be running.
    void closeProfile();
    /// Returns the number of launched operations.
    [[nodiscard]] std::uint64_t launches() const { return m_launches; }
    /// Returns the number of the next split, from 1.
    [[nodiscard]] int nextSplit() { return ++m_splits; }
    [[nodiscard]] ncclResult_t asyncError() const;
    /// Throws the asynchronous error if there is one.
    void throwIfFailed() const;

    /// Returns a slot for an exchange of the ranks' hosts, in the order of the calls.
    [[nodiscard]] std::uint64_t takeSlot();
    /// Assigns slots to operations in the order of the calls, and counts one more launch.
    void beginLaunch(std::vector<Operation>& operations);
    /// Returns false if the communicator has failed: the work must not run. endLaunch must be called in both
    /// cases.
    [[nodiscard]] bool startWork();
    void endLaunch();
    /// Sleeps until `time`, or returns at once if the communicator has failed.
    void sleepUntil(std::chrono::steady_clock::time_point time);
    /// Replaces the two calls above for work that no stream accepted.
    void cancelLaunch();

    /// Stores the first asynchronous error and closes the connections, so that peers and running work end,
    /// too.
    void fail(ncclResult_t code, const std::string& message);
    /// Throws Failure(ncclInvalidArgument) on the second call.
    void beginFinalization();
    /// Returns when no launch is left.
    void waitForWork();
    /// Waits for all work and, together with the other ranks of this process, until the peers have done the
    /// same.
    void leave();
    /// Waits for the peers for at most 10 s, because they may be gone. Called by ProcessRanks.
    void sayGoodbye();
    /// Ends running work at once and waits until it no longer uses the caller's buffers.
    void abort();

private:
    /// Returns false if there was an error already.
    bool recordError(ncclResult_t code, const std::string& message);
    std::uint64_t nextSlot(const Operation& operation);

    const Place m_place;
    const std::uint64_t m_hash;
    const std::chrono::milliseconds m_timeout;
    const Algorithms m_algorithms;
    const std::shared_ptr<ProcessRanks> m_processRanks;
    Operators m_operators;
    Registrations m_registrations;
    std::unique_ptr<Mesh> m_mesh;
    const std::shared_ptr<profiler::CommunicatorProfile> m_profile;
    std::atomic<std::uint64_t> m_launches = 0;
    std::atomic<int> m_splits = 0;

    mutable std::mutex m_mutex; ///< guards all members below
    std::condition_variable m_changed;
    int m_launched = 0;
    int m_running = 0;
    bool m_finalized = false;
    ncclResult_t m_error = ncclSuccess;
    std::string m_errorMessage;
    std::uint64_t m_collectives = 0;
    std::vector<std::uint64_t> m_sends;    ///< by receiver
    std::vector<std::uint64_t> m_receives; ///< by sender
};

} // namespace ringside::nccl
