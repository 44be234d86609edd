// SPDX-License-Identifier: Apache-2.0
// One rank's communicator: its place, its connections, its error state, and the work that still needs it.
// Work holds it by shared_ptr, so an abort need not wait for work that has not started. It is complete from
// the beginning; what a program holds while it comes about is the handle (handle.h).
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
    /// Of each rank: its number in the communicator that this one was split from at first. Empty: its own.
    std::vector<int> worldRanks = {};
    /// The program's name for the communicator, for tools; may be empty.
    std::string name = {};
};

class Communicator final : public std::enable_shared_from_this<Communicator> {
public:
    /// Meets the other ranks; see Mesh.
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
    /// Null for a single rank.
    [[nodiscard]] Mesh* mesh() const { return m_mesh.get(); }
    [[nodiscard]] std::uint64_t hash() const { return m_hash; }
    [[nodiscard]] Hosts hosts() const { return m_mesh ? m_mesh->hosts() : Hosts(); }
    /// What the profiler plugin knows of it; null without one.
    [[nodiscard]] const std::shared_ptr<profiler::CommunicatorProfile>& profile() const { return m_profile; }
    /// Tells the plugin that the communicator ends. No work may be under way.
    void closeProfile();
    /// How many pieces of work have been launched.
    [[nodiscard]] std::uint64_t launches() const { return m_launches; }
    /// The number of the next split, from 1.
    [[nodiscard]] int nextSplit() { return ++m_splits; }
    [[nodiscard]] ncclResult_t asyncError() const;
    /// Throws the asynchronous error, if there is one.
    void throwIfFailed() const;

    /// A slot for an exchange of the ranks' hosts, in the order of the calls.
    [[nodiscard]] std::uint64_t takeSlot();
    /// Gives operations their slots, in the order of the calls, and counts one more piece of work.
    void beginLaunch(std::vector<Operation>& operations);
    /// False when the communicator has failed: the work must not run. Pairs with endLaunch in both cases.
    [[nodiscard]] bool startWork();
    void endLaunch();
    /// Returns then, or at once when the communicator has failed.
    void sleepUntil(std::chrono::steady_clock::time_point time);
    /// For work that no stream took, instead of the two above.
    void cancelLaunch();

    /// Records the first asynchronous error and hangs up, so that peers and running work end too.
    void fail(ncclResult_t code, const std::string& message);
    /// Failure(ncclInvalidArgument) the second time.
    void beginFinalization();
    /// Returns when nothing is launched any more.
    void waitForWork();
    /// Waits for all work and, with the other ranks of this process, for the peers to have done the same.
    void leave();
    /// This rank's part of that: at most 10 s, the peers may be gone. For ProcessRanks.
    void sayGoodbye();
    /// Ends running work at once and waits until it has let go of the caller's buffers.
    void abort();

private:
    /// False when there was an error already.
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

    mutable std::mutex m_mutex; ///< guards all below
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
