// SPDX-License-Identifier: Apache-2.0
// What ncclComm_t points to. It exists from the call that begins a communicator, and is in progress until the
// communicator has come about (or been finalized) on a thread of its own. Handles are looked up, never
// followed blindly: one that is destroyed or made up is ncclInvalidArgument, not a crash.
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

    /// ncclConfig_t's: whether calls on this communicator wait until they are done.
    [[nodiscard]] bool blocking() const { return m_blocking; }
    /// The communicator; Failure while it is not there, or busy and non-blocking, and with the error of what
    /// failed.
    [[nodiscard]] std::shared_ptr<ringside::nccl::Communicator> communicator() const;
    /// The same in any state; null where none has come about.
    [[nodiscard]] std::shared_ptr<ringside::nccl::Communicator> communicatorIfAny() const;
    /// What ncclCommGetAsyncError says.
    [[nodiscard]] ncclResult_t state() const;

    /// A job on the communicator begins, which ends with ready() or failed(). Failure where there is none.
    void begin();
    /// Aborts a communicator that comes after abandon().
    void ready(const std::shared_ptr<ringside::nccl::Communicator>& communicator);
    void failed(ncclResult_t code, const std::string& message);
    /// Instead of the two: the job does not run. A blocking communicator that has come about goes on.
    void givenUp(ncclResult_t code, const std::string& message);
    /// Nobody waits for the job in progress any more.
    void abandon();
    /// For a job with more results than the communicator: calls `act` while its caller still waits for them.
    /// False after abandon().
    template <class Act>
    [[nodiscard]] bool unlessAbandoned(Act&& act)
    {
        const std::lock_guard lock(m_mutex);
        if (!m_abandoned)
            act();
        return !m_abandoned;
    }
    /// Returns when nothing is in progress.
    void settle() const;
    /// The same; Failure if it went wrong.
    void wait() const;

private:
    void throwIfFailedLocked() const;

    const bool m_blocking;
    mutable std::mutex m_mutex; ///< guards all below
    mutable std::condition_variable m_settled;
    std::shared_ptr<ringside::nccl::Communicator> m_communicator;
    int m_jobs = 1; ///< in progress: from the beginning the one that makes the communicator
    ncclResult_t m_error = ncclSuccess;
    std::string m_message;
    bool m_abandoned = false;
};

namespace ringside::nccl {

/// Makes a handle valid and returns it as the program sees it.
[[nodiscard]] ncclComm_t publish(const std::shared_ptr<ncclComm>& handle);
/// Failure(ncclInvalidArgument) for null and for what is no valid handle.
[[nodiscard]] std::shared_ptr<ncclComm> findHandle(ncclComm_t handle);
/// Makes a handle invalid, if it was valid.
void withdraw(ncclComm_t handle);
/// findHandle(handle)->communicator()
[[nodiscard]] std::shared_ptr<Communicator> communicatorOf(ncclComm_t handle);

} // namespace ringside::nccl
