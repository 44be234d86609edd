// SPDX-License-Identifier: Apache-2.0
#include "records.h"

#include <cuda_runtime_api.h>

#include <atomic>

namespace ringside::cupti {
namespace {

// Members that every record of device work has under the same names.
template <class Record>
void fillCommon(Record& record, const platform::WorkActivity& activity)
{
    record.start = static_cast<std::uint64_t>(activity.startNs);
    record.end = static_cast<std::uint64_t>(activity.endNs);
    record.deviceId = activity.device;
    record.contextId = activity.context;
    record.streamId = activity.stream;
    record.correlationId = activity.correlation;
}

template <class Record>
void fillGraph(Record& record, const platform::WorkActivity& activity)
{
    record.graphId = activity.graphId;
    record.graphNodeId = activity.graphNodeId;
}

struct CopyKinds {
    CUpti_ActivityMemcpyKind copy;
    CUpti_ActivityMemoryKind source;
    CUpti_ActivityMemoryKind destination;
};

CopyKinds copyKinds(std::uint8_t kind)
{
    // The runtime does not report whether host memory was pinned.
    constexpr auto kHost = CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN;
    constexpr auto kDevice = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    switch (kind) {
    case cudaMemcpyHostToHost:
        return {CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, kHost, kHost};
    case cudaMemcpyHostToDevice:
        return {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, kHost, kDevice};
    case cudaMemcpyDeviceToHost:
        return {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, kDevice, kHost};
    case cudaMemcpyDeviceToDevice:
        return {CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, kDevice, kDevice};
    default:
        return {CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN, kHost, kHost};
    }
}

} // namespace

CUpti_ActivityKernel10 kernelRecord(const platform::WorkActivity& activity, CUpti_ActivityKind kind)
{
    static std::atomic<std::int64_t> gridIds = 0;
    CUpti_ActivityKernel10 record{};
    record.kind = kind;
    fillCommon(record, activity);
    record.completed = record.end;
    fillGraph(record, activity);
    const platform::WorkShape& shape = activity.shape;
    record.gridX = static_cast<std::int32_t>(shape.grid[0]);
    record.gridY = static_cast<std::int32_t>(shape.grid[1]);
    record.gridZ = static_cast<std::int32_t>(shape.grid[2]);
    record.blockX = static_cast<std::int32_t>(shape.block[0]);
    record.blockY = static_cast<std::int32_t>(shape.block[1]);
    record.blockZ = static_cast<std::int32_t>(shape.block[2]);
    record.registersPerThread = shape.registersPerThread;
    record.staticSharedMemory = static_cast<std::int32_t>(shape.staticSharedBytes);
    record.dynamicSharedMemory = static_cast<std::int32_t>(shape.sharedBytes);
    record.gridId = ++gridIds;
    record.name = activity.name;
    record.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
    return record;
}

CUpti_ActivityMemcpy6 copyRecord(const platform::WorkActivity& activity)
{
    const CopyKinds kinds = copyKinds(activity.copyKind);
    CUpti_ActivityMemcpy6 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    fillCommon(record, activity);
    fillGraph(record, activity);
    record.copyKind = static_cast<std::uint8_t>(kinds.copy);
    record.srcKind = static_cast<std::uint8_t>(kinds.source);
    record.dstKind = static_cast<std::uint8_t>(kinds.destination);
    record.bytes = activity.bytes;
    record.runtimeCorrelationId = activity.correlation;
    record.channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
    record.copyCount = 1;
    return record;
}

CUpti_ActivityMemcpyPtoP4 peerCopyRecord(const platform::WorkActivity& activity)
{
    CUpti_ActivityMemcpyPtoP4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    fillCommon(record, activity);
    fillGraph(record, activity);
    record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    record.srcKind = record.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    record.bytes = activity.bytes;
    record.srcDeviceId = static_cast<std::uint32_t>(activity.peers.source);
    record.srcContextId = record.srcDeviceId + 1; // numbered as in the runtime
    record.dstDeviceId = static_cast<std::uint32_t>(activity.peers.destination);
    record.dstContextId = record.dstDeviceId + 1;
    record.channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
    return record;
}

CUpti_ActivityMemset4 setRecord(const platform::WorkActivity& activity)
{
    CUpti_ActivityMemset4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    fillCommon(record, activity);
    fillGraph(record, activity);
    record.bytes = activity.bytes;
    record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    record.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
    return record;
}

CUpti_ActivityAPI callRecord(const platform::ApiActivity& activity, CUpti_ActivityKind kind,
                             CUpti_ActivityThreadIdType threadIds)
{
    CUpti_ActivityAPI record{};
    record.kind = kind;
    record.cbid = activity.function.cbid;
    record.start = static_cast<std::uint64_t>(activity.startNs);
    record.end = static_cast<std::uint64_t>(activity.endNs);
    record.processId = activity.processId;
    // The default is pthread_self() truncated to 32 bits.
    record.threadId = threadIds == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
                          ? activity.threadId
                          : static_cast<std::uint32_t>(activity.threadHandle);
    record.correlationId = activity.correlation;
    record.returnValue = static_cast<std::uint32_t>(activity.result);
    return record;
}

CUpti_ActivityExternalCorrelation externalRecord(CUpti_ExternalCorrelationKind kind, std::uint64_t id,
                                                 std::uint32_t correlation)
{
    CUpti_ActivityExternalCorrelation record{};
    record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    record.externalKind = kind;
    record.externalId = id;
    record.correlationId = correlation;
    return record;
}

} // namespace ringside::cupti
