// SPDX-License-Identifier: Apache-2.0
// The public functions that move data.
#include "api.h"
#include "communicator.h"
#include "group.h"
#include "handle.h"
#include "nvtx_range.h"
#include "observation.h"

namespace ringside::nccl {
namespace {

ncclResult_t submitCall(ncclComm_t handle, Operation operation) noexcept
{
    return guardedInGroup([&] {
        const std::shared_ptr<ncclComm> found = findHandle(handle);
        operation.communicator = found->communicator();
        operation.handle = handle;
        // Calls the public function, as the real library does here.
        ncclResult_t state = ncclSuccess;
        ncclCommGetAsyncError(handle, &state);
        if (state != ncclSuccess)
            operation.communicator->throwIfFailed();
        submit(std::move(operation), found->blocking());
        return found->blocking() ? ncclSuccess : found->state();
    });
}

} // namespace
} // namespace ringside::nccl

using namespace ringside::nccl;

RINGSIDE_NCCL_API(ncclResult_t, ncclAllReduce, const void* sendbuff, void* recvbuff, size_t count,
                  ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::AllReduce, [&] {
        return ReductionPayload{hashOf(comm), bytesOf(count, datatype), op};
    });
    return submitCall(comm, {.kind = Kind::AllReduce,
                             .source = sendbuff,
                             .target = recvbuff,
                             .count = count,
                             .type = datatype,
                             .op = op,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclReduce, const void* sendbuff, void* recvbuff, size_t count,
                  ncclDataType_t datatype, ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::Reduce, [&] {
        return RootReductionPayload{hashOf(comm), bytesOf(count, datatype), root, op};
    });
    return submitCall(comm, {.kind = Kind::Reduce,
                             .source = sendbuff,
                             .target = recvbuff,
                             .count = count,
                             .type = datatype,
                             .op = op,
                             .peer = root,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclReduceScatter, const void* sendbuff, void* recvbuff, size_t recvcount,
                  ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::ReduceScatter, [&] {
        return ReductionPayload{hashOf(comm), bytesOf(recvcount, datatype), op};
    });
    return submitCall(comm, {.kind = Kind::ReduceScatter,
                             .source = sendbuff,
                             .target = recvbuff,
                             .count = recvcount,
                             .type = datatype,
                             .op = op,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclAllGather, const void* sendbuff, void* recvbuff, size_t sendcount,
                  ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::AllGather, [&] {
        return SizePayload{hashOf(comm), bytesOf(sendcount, datatype)};
    });
    return submitCall(comm, {.kind = Kind::AllGather,
                             .source = sendbuff,
                             .target = recvbuff,
                             .count = sendcount,
                             .type = datatype,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclBroadcast, const void* sendbuff, void* recvbuff, size_t count,
                  ncclDataType_t datatype, int root, ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::Broadcast, [&] {
        return RootPayload{hashOf(comm), bytesOf(count, datatype), root};
    });
    return submitCall(comm, {.kind = Kind::Broadcast,
                             .source = sendbuff,
                             .target = recvbuff,
                             .count = count,
                             .type = datatype,
                             .peer = root,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclBcast, void* buff, size_t count, ncclDataType_t datatype, int root,
                  ncclComm_t comm, cudaStream_t stream)
{
    return ncclBroadcast(buff, buff, count, datatype, root, comm, stream);
}

RINGSIDE_NCCL_API(ncclResult_t, ncclSend, const void* sendbuff, size_t count, ncclDataType_t datatype,
                  int peer, ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::Send, [&] {
        return PeerPayload{hashOf(comm), bytesOf(count, datatype), peer};
    });
    return submitCall(comm, {.kind = Kind::Send,
                             .source = sendbuff,
                             .count = count,
                             .type = datatype,
                             .peer = peer,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclRecv, void* recvbuff, size_t count, ncclDataType_t datatype, int peer,
                  ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::Recv, [&] {
        return PeerPayload{hashOf(comm), bytesOf(count, datatype), peer};
    });
    return submitCall(comm, {.kind = Kind::Recv,
                             .target = recvbuff,
                             .count = count,
                             .type = datatype,
                             .peer = peer,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclAlltoAll, const void* sendbuff, void* recvbuff, size_t count,
                  ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::AlltoAll, [&] {
        return SizePayload{hashOf(comm), bytesOf(count, datatype)};
    });
    return submitCall(comm, {.kind = Kind::AlltoAll,
                             .source = sendbuff,
                             .target = recvbuff,
                             .count = count,
                             .type = datatype,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclGather, const void* sendbuff, void* recvbuff, size_t count,
                  ncclDataType_t datatype, int root, ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::Gather, [&] {
        return RootPayload{hashOf(comm), bytesOf(count, datatype), root};
    });
    return submitCall(comm, {.kind = Kind::Gather,
                             .source = sendbuff,
                             .target = recvbuff,
                             .count = count,
                             .type = datatype,
                             .peer = root,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclScatter, const void* sendbuff, void* recvbuff, size_t count,
                  ncclDataType_t datatype, int root, ncclComm_t comm, cudaStream_t stream)
{
    const NvtxRange range(NvtxFunction::Scatter, [&] {
        return RootPayload{hashOf(comm), bytesOf(count, datatype), root};
    });
    return submitCall(comm, {.kind = Kind::Scatter,
                             .source = sendbuff,
                             .target = recvbuff,
                             .count = count,
                             .type = datatype,
                             .peer = root,
                             .stream = stream});
}

RINGSIDE_NCCL_API(ncclResult_t, ncclGroupStart, void)
{
    const NvtxRange range(NvtxFunction::GroupStart);
    return guarded(startGroup);
}

RINGSIDE_NCCL_API(ncclResult_t, ncclGroupEnd, void)
{
    const NvtxRange range(NvtxFunction::GroupEnd);
    return guarded(endGroup);
}
