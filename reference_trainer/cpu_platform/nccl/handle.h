// SPDX-License-Identifier: Apache-2.0
// The object behind ncclComm_t. It exists from the call that creates a communicator on, and is in progress
// until the communicator has been created (or finalized) on another thread. Handles are looked up, never
// dereferenced unchecked: a destroyed or invented handle gives ncclInvalidArgument, not a crash.
#pragma once
#include <nccl.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

namespace ringside::nccl {
class Communicator;
}

struct ncclComm final {
    explicit ncclComm(bool blocking) : m_blocking(blocking) {}

    /// Returns ncclConfig_t's setting: whether calls on this communicator wait until they are done.
    [[nodiscard]] bool blocking() const { return m_blocking; }
    /// Returns the communicator. Throws Failure if it does not exist yet, or is busy and non-blocking, and
    /// with the error of a failed job.
    [[nodiscard]] std::shared_ptr<ringside::nccl::Communicator> communicator() const;
    /// Returns it in any state; null if it does not exist.
    [[nodiscard]] std::shared_ptr<ringside::nccl::Communicator> communicatorIfAny() const;
    /// Returns the result of ncclCommGetAsyncError.
    [[nodiscard]] ncclResult_t state() const;

    /// Begins a job on the communicator, which ends with ready() or failed(). Throws Failure if none may
    /// begin.
    void begin();
    /// Ends a job with success. Aborts a communicator that is created after abandon().
    void ready(const std::shared_ptr<ringside::nccl::Communicator>& communicator);
    void failed(ncclResult_t code, const std::string& message);
    /// Ends a job that does not run. A blocking communicator that exists stays usable.
    void givenUp(ncclResult_t code, const std::string& message);
    /// The result of the job in progress is not needed any more.
    void abandon();
    /// For a job with more results than the communicator: calls `act` while its caller still waits for them.
    /// Returns false after abandon().
    template <class Act>
    [[nodiscard]] bool unlessAbandoned(Act&& act)
    {
        const std::lock_guard lock(m_mutex);
        if (!m_abandoned)
            act();
        return !m_abandoned;
    }
    /// Returns when no job is in progress.
    void settle() const;
    /// The same; throws Failure if the job failed.
    void wait() const;

private:
    void throwIfFailedLocked() const;

    const bool m_blocking;
    mutable std::mutex m_mutex; ///< guards all members below
    mutable std::condition_variable m_settled;
    std::shared_ptr<ringside::nccl::Communicator> m_communicator;
    int m_jobs = 1; ///< jobs in progress; the first one creates the communicator
    ncclResult_t m_error = ncclSuccess;
    std::string m_message;
    bool m_abandoned = false;
};

namespace ringside::nccl {

/// Makes a handle valid and returns it for the program.
[[nodiscard]] ncclComm_t publish(const std::shared_ptr<ncclComm>& handle);
/// Throws Failure(ncclInvalidArgument) for null and for an invalid handle.
[[nodiscard]] std::shared_ptr<ncclComm> findHandle(ncclComm_t handle);
/// Invalidates a handle if it is valid.
void withdraw(ncclComm_t handle);
/// Returns findHandle(handle)->communicator().
[[nodiscard]] std::shared_ptr<Communicator> communicatorOf(ncclComm_t handle);

} // namespace ringside::nccl
