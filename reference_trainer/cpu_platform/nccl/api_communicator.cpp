// SPDX-License-Identifier: Apache-2.0
// Public functions about communicators and errors.
#include "api.h"
#include "communicator.h"
#include "group.h"
#include "init_log.h"
#include "nvtx_range.h"
#include "observation.h"

#include <array>
#include <cstdlib>

using namespace ringside::nccl;

namespace {

InitLine lineOf(const ncclComm& handle, const Communicator& communicator)
{
    return {.handle = &handle,
            .rank = communicator.rank(),
            .ranks = communicator.size(),
            .device = communicator.device(),
            .hash = communicator.hash()};
}

/// RINGSIDE_PLATFORM_NCCL_VERSION emulates a version that clients do not know.
int versionInUse()
{
    const char* const text = std::getenv("RINGSIDE_PLATFORM_NCCL_VERSION");
    return text == nullptr ? NCCL_VERSION_CODE : std::atoi(text);
}

/// Ends a communicator in the given way; its handle is invalid afterwards in any case.
template <class End>
void end(ncclComm_t comm, End&& doEnd)
{
    if (comm == nullptr)
        return;
    const std::shared_ptr<ncclComm> handle = findHandle(comm);
    withdraw(comm);
    doEnd(*handle);
}

} // namespace

RINGSIDE_NCCL_API(ncclResult_t, ncclGetVersion, int* version)
{
    return guarded([&] {
        require(version != nullptr, "version is null");
        *version = versionInUse();
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommFinalize, ncclComm_t comm)
{
    NvtxRange range(NvtxFunction::CommFinalize);
    if (comm != nullptr)
        range.endWith([&] { return CommunicatorPayload{hashOf(comm)}; });
    return guardedInGroup([&] {
        if (comm == nullptr)
            return ncclSuccess;
        const std::shared_ptr<ncclComm> handle = findHandle(comm);
        const std::shared_ptr<Communicator> communicator = handle->communicator();
        communicator->beginFinalization();
        handle->begin();
        submit({handle, [communicator] {
                    communicator->waitForWork();
                    return communicator;
                }});
        return handle->blocking() || isGroupOpen() ? ncclSuccess : ncclInProgress;
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommDestroy, ncclComm_t comm)
{
    if (comm == nullptr) {
        const NvtxRange range(NvtxFunction::CommDestroy);
        return ncclSuccess;
    }
    const NvtxRange range(NvtxFunction::CommDestroy, [&] { return rankPayload(comm); });
    return guarded([&] {
        end(comm, [](const ncclComm& handle) {
            handle.settle();
            if (const std::shared_ptr<Communicator> communicator = handle.communicatorIfAny()) {
                communicator->leave();
                communicator->closeProfile();
                logEnd(lineOf(handle, *communicator), "Destroy COMPLETE");
            }
        });
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommAbort, ncclComm_t comm)
{
    NvtxRange range(NvtxFunction::CommAbort);
    if (comm != nullptr)
        range.endWith([&] { return rankPayload(comm); });
    return guarded([&] {
        end(comm, [](ncclComm& handle) {
            handle.abandon();
            if (const std::shared_ptr<Communicator> communicator = handle.communicatorIfAny()) {
                logEnd(lineOf(handle, *communicator), "Abort START");
                communicator->abort();
                communicator->closeProfile();
                logEnd(lineOf(handle, *communicator), "Abort COMPLETE");
            }
        });
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommGetAsyncError, ncclComm_t comm, ncclResult_t* asyncError)
{
    return guarded([&] {
        require(asyncError != nullptr, "asyncError is null");
        *asyncError = findHandle(comm)->state();
    });
}

// const ncclComm_t is a const pointer: the vendor's spelling.
RINGSIDE_NCCL_API(ncclResult_t, ncclCommCount, const ncclComm_t comm, int* count)
{
    return guarded([&] {
        require(count != nullptr, "count is null");
        *count = communicatorOf(comm)->size();
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommCuDevice, const ncclComm_t comm, int* device)
{
    return guarded([&] {
        require(device != nullptr, "device is null");
        *device = communicatorOf(comm)->device();
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommUserRank, const ncclComm_t comm, int* rank)
{
    return guarded([&] {
        require(rank != nullptr, "rank is null");
        *rank = communicatorOf(comm)->rank();
    });
}

RINGSIDE_NCCL_API(const char*, ncclGetErrorString, ncclResult_t result)
{
    constexpr std::array<const char*, ncclNumResults> kTexts = {
        "no error",
        "unhandled cuda error",
        "unhandled system error",
        "internal error",
        "invalid argument",
        "invalid usage",
        "remote process exited or there was a network error",
        "NCCL operation in progress"};
    const auto index = static_cast<std::size_t>(result);
    return index < kTexts.size() ? kTexts[index] : "unknown result code";
}

RINGSIDE_NCCL_API(const char*, ncclGetLastError, ncclComm_t)
{
    return lastError();
}
