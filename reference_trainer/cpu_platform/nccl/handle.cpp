// SPDX-License-Identifier: Apache-2.0
#include "handle.h"

#include "communicator.h"
#include "errors.h"

#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <utility>

using ringside::nccl::Communicator;
using ringside::nccl::Failure;

std::shared_ptr<Communicator> ncclComm::communicator() const
{
    const std::lock_guard lock(m_mutex);
    throwIfFailedLocked();
    // A blocking communicator that exists has only jobs that wait for the end of their group.
    if (m_jobs > 0 && !(m_blocking && m_communicator != nullptr))
        throw Failure(ncclInvalidArgument,
                      "the communicator is used before the previous operation on it returned ncclSuccess");
    return m_communicator;
}

std::shared_ptr<Communicator> ncclComm::communicatorIfAny() const
{
    const std::lock_guard lock(m_mutex);
    return m_communicator;
}

ncclResult_t ncclComm::state() const
{
    const std::lock_guard lock(m_mutex);
    if (m_error != ncclSuccess)
        return m_error;
    return m_jobs > 0 ? ncclInProgress : m_communicator->asyncError();
}

void ncclComm::begin()
{
    const std::lock_guard lock(m_mutex);
    throwIfFailedLocked();
    ++m_jobs;
}

void ncclComm::ready(const std::shared_ptr<Communicator>& communicator)
{
    {
        const std::lock_guard lock(m_mutex);
        --m_jobs;
        if (!m_abandoned) {
            m_communicator = communicator;
            m_settled.notify_all();
            return;
        }
    }
    communicator->abort(); // may take long, and no thread may have to wait for the state meanwhile
}

void ncclComm::failed(ncclResult_t code, const std::string& message)
{
    const std::lock_guard lock(m_mutex);
    --m_jobs;
    if (m_error == ncclSuccess) {
        m_error = code;
        m_message = message;
    }
    m_settled.notify_all();
}

void ncclComm::givenUp(ncclResult_t code, const std::string& message)
{
    if (m_blocking && communicatorIfAny() != nullptr)
        return ready(communicatorIfAny());
    failed(code, message);
}

void ncclComm::abandon()
{
    const std::lock_guard lock(m_mutex);
    m_abandoned = true;
    if (m_jobs == 0 || m_error != ncclSuccess)
        return;
    m_error = ncclRemoteError;
    m_message = "the communicator was aborted before the operation on it was done";
    m_settled.notify_all();
}

void ncclComm::settle() const
{
    std::unique_lock lock(m_mutex);
    m_settled.wait(lock, [this] { return m_jobs == 0 || m_error != ncclSuccess; });
}

void ncclComm::wait() const
{
    settle();
    const std::lock_guard lock(m_mutex);
    throwIfFailedLocked();
}

void ncclComm::throwIfFailedLocked() const
{
    if (m_error != ncclSuccess)
        throw Failure::again(m_error, m_message);
}

namespace ringside::nccl {
namespace {

struct Handles {
    std::mutex mutex;
    std::unordered_map<ncclComm_t, std::shared_ptr<ncclComm>> valid;
};

/// Never destroyed: threads may still use communicators while the process exits.
Handles& handles()
{
    static auto* const instance = new Handles;
    return *instance;
}

} // namespace

ncclComm_t publish(const std::shared_ptr<ncclComm>& handle)
{
    const std::lock_guard lock(handles().mutex);
    handles().valid[handle.get()] = handle;
    return handle.get();
}

std::shared_ptr<ncclComm> findHandle(ncclComm_t handle)
{
    require(handle != nullptr, "the communicator is null");
    const std::lock_guard lock(handles().mutex);
    const auto found = handles().valid.find(handle);
    if (found == handles().valid.end()) { // the real library reads memory that is gone, and may crash
        std::fputs("NCCL (emulated): a communicator is used that is destroyed, or never was one\n", stderr);
        std::abort();
    }
    return found->second;
}

void withdraw(ncclComm_t handle)
{
    const std::lock_guard lock(handles().mutex);
    handles().valid.erase(handle);
}

std::shared_ptr<Communicator> communicatorOf(ncclComm_t handle)
{
    return findHandle(handle)->communicator();
}

} // namespace ringside::nccl
