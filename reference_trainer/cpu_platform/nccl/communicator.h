// SPDX-License-Identifier: Apache-2.0
// One rank's communicator: its place, its connections, its error state, and the work that still needs it.
// Work holds it by shared_ptr, so an abort need not wait for work that has not started.
#pragma once
#include "mesh.h"
#include "operation.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ringside::nccl {

class Communicator final {
public:
    /// Meets the other ranks; see Mesh.
    Communicator(const UniqueId& id, int rank, int size, int device);

    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] int size() const { return m_size; }
    [[nodiscard]] int device() const { return m_device; }
    /// Null for a single rank.
    [[nodiscard]] Mesh* mesh() const { return m_mesh.get(); }
    [[nodiscard]] ncclResult_t asyncError() const;
    /// Throws the asynchronous error, if there is one.
    void throwIfFailed() const;

    /// Gives operations their slots, in the order of the calls, and counts one more piece of work.
    void beginLaunch(std::vector<Operation>& operations);
    /// False when the communicator has failed: the work must not run. Pairs with endLaunch in both cases.
    [[nodiscard]] bool startWork();
    void endLaunch();
    /// For work that no stream took, instead of the two above.
    void cancelLaunch();

    /// Records the first asynchronous error and hangs up, so that peers and running work end too.
    void fail(ncclResult_t code, const std::string& message);
    /// Waits for all work and, once, for the peers to have done the same (at most 10 s: they may be gone).
    void finalize();
    /// Ends running work at once and waits until it has let go of the caller's buffers.
    void abort();

private:
    std::uint64_t nextSlot(const Operation& operation);

    const int m_rank;
    const int m_size;
    const int m_device;
    const std::chrono::milliseconds m_timeout;
    std::unique_ptr<Mesh> m_mesh;

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

/// NCCL's opaque handle.
struct ncclComm {
    std::shared_ptr<ringside::nccl::Communicator> communicator;
};

namespace ringside::nccl {

/// The communicator behind a handle; Failure(ncclInvalidArgument) for null.
[[nodiscard]] const std::shared_ptr<Communicator>& communicatorOf(ncclComm_t handle);

} // namespace ringside::nccl
