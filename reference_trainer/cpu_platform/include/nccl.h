// SPDX-License-Identifier: Apache-2.0
// NCCL 2.28's public interface for builds without NCCL's own header: types with its values and layouts, and
// every function of nccl.h with its pnccl twin. The device API (nccl_device.h) is not here.
#pragma once
#include <cuda_runtime.h>

#include <limits.h>
#include <stddef.h>

#define NCCL_MAJOR 2
#define NCCL_MINOR 28
#define NCCL_PATCH 9
#define NCCL_SUFFIX ""
#define NCCL_VERSION_CODE 22809
#define NCCL_VERSION(X, Y, Z) (((X) <= 2 && (Y) <= 8) ? (X)*1000 + (Y)*100 + (Z) : (X)*10000 + (Y)*100 + (Z))
#define NCCL_COMM_NULL NULL
#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_CONFIG_UNDEF_INT INT_MIN
#define NCCL_CONFIG_UNDEF_PTR NULL
#define NCCL_UNDEF_FLOAT -1.0f
#define NCCL_SPLIT_NOCOLOR -1
#define NCCL_WIN_DEFAULT 0x00
#define NCCL_WIN_COLL_SYMMETRIC 0x01
#define NCCL_SHRINK_DEFAULT 0x00
#define NCCL_SHRINK_ABORT 0x01
#define NCCL_REVOKE_DEFAULT 0x00

typedef struct ncclComm* ncclComm_t;
typedef struct ncclWindow_vidmem* ncclWindow_t;
typedef struct {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7,
    ncclNumResults = 8
} ncclResult_t;
typedef enum {
    ncclSum = 0,
    ncclProd = 1,
    ncclMax = 2,
    ncclMin = 3,
    ncclAvg = 4,
    ncclNumOps = 5,
    ncclMaxRedOp = 0x7fffffff
} ncclRedOp_t;
typedef enum {
    ncclInt8 = 0,
    ncclChar = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclInt = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6,
    ncclHalf = 6,
    ncclFloat32 = 7,
    ncclFloat = 7,
    ncclFloat64 = 8,
    ncclDouble = 8,
    ncclBfloat16 = 9,
    ncclFloat8e4m3 = 10,
    ncclFloat8e5m2 = 11,
    ncclNumTypes = 12
} ncclDataType_t;
typedef enum { ncclScalarDevice = 0, ncclScalarHostImmediate = 1 } ncclScalarResidence_t;

typedef struct ncclConfig_v22800 {
    size_t size;
    unsigned int magic;
    unsigned int version;
    int blocking;
    int cgaClusterSize;
    int minCTAs;
    int maxCTAs;
    const char* netName;
    int splitShare;
    int trafficClass;
    const char* commName;
    int collnetEnable;
    int CTAPolicy;
    int shrinkShare;
    int nvlsCTAs;
    int nChannelsPerNetPeer;
    int nvlinkCentricSched;
} ncclConfig_t;
#define NCCL_CONFIG_INITIALIZER                                                                              \
    {                                                                                                        \
        sizeof(ncclConfig_t), 0xcafebeef, NCCL_VERSION_CODE, NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_INT,   \
            NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_PTR, NCCL_CONFIG_UNDEF_INT,      \
            NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_PTR, NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_INT,      \
            NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_INT,      \
    }
typedef struct ncclSimInfo_v22200 {
    size_t size;
    unsigned int magic;
    unsigned int version;
    float estimatedTime;
} ncclSimInfo_t;
#define NCCL_SIM_INFO_INITIALIZER                                                                            \
    {                                                                                                        \
        sizeof(ncclSimInfo_t), 0x74685283, NCCL_VERSION_CODE, NCCL_UNDEF_FLOAT                               \
    }

#ifdef __cplusplus
extern "C" {
#endif
// clang-format off
#define RINGSIDE_NCCL(result, name, parameters) result nccl##name parameters; result pnccl##name parameters;
RINGSIDE_NCCL(ncclResult_t, MemAlloc, (void** pointer, size_t size))
RINGSIDE_NCCL(ncclResult_t, MemFree, (void* pointer))
RINGSIDE_NCCL(ncclResult_t, GetVersion, (int* version))
RINGSIDE_NCCL(ncclResult_t, GetUniqueId, (ncclUniqueId* id))
RINGSIDE_NCCL(ncclResult_t, CommInitRankConfig, (ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config))
RINGSIDE_NCCL(ncclResult_t, CommInitRank, (ncclComm_t* comm, int ranks, ncclUniqueId id, int rank))
RINGSIDE_NCCL(ncclResult_t, CommInitAll, (ncclComm_t* comms, int devices, const int* deviceList))
RINGSIDE_NCCL(ncclResult_t, CommInitRankScalable, (ncclComm_t* comm, int ranks, int rank, int ids, ncclUniqueId* idList, ncclConfig_t* config))
RINGSIDE_NCCL(ncclResult_t, CommFinalize, (ncclComm_t comm))
RINGSIDE_NCCL(ncclResult_t, CommDestroy, (ncclComm_t comm))
RINGSIDE_NCCL(ncclResult_t, CommAbort, (ncclComm_t comm))
RINGSIDE_NCCL(ncclResult_t, CommRevoke, (ncclComm_t comm, int flags))
RINGSIDE_NCCL(ncclResult_t, CommSplit, (ncclComm_t comm, int color, int key, ncclComm_t* newComm, ncclConfig_t* config))
RINGSIDE_NCCL(ncclResult_t, CommShrink, (ncclComm_t comm, int* excluded, int excludedCount, ncclComm_t* newComm, ncclConfig_t* config, int flags))
RINGSIDE_NCCL(ncclResult_t, CommGetAsyncError, (ncclComm_t comm, ncclResult_t* error))
RINGSIDE_NCCL(ncclResult_t, CommCount, (const ncclComm_t comm, int* count))
RINGSIDE_NCCL(ncclResult_t, CommCuDevice, (const ncclComm_t comm, int* device))
RINGSIDE_NCCL(ncclResult_t, CommUserRank, (const ncclComm_t comm, int* rank))
RINGSIDE_NCCL(ncclResult_t, CommRegister, (const ncclComm_t comm, void* buffer, size_t size, void** handle))
RINGSIDE_NCCL(ncclResult_t, CommDeregister, (const ncclComm_t comm, void* handle))
RINGSIDE_NCCL(ncclResult_t, CommWindowRegister, (ncclComm_t comm, void* buffer, size_t size, ncclWindow_t* window, int flags))
RINGSIDE_NCCL(ncclResult_t, CommWindowDeregister, (ncclComm_t comm, ncclWindow_t window))
RINGSIDE_NCCL(ncclResult_t, RedOpCreatePreMulSum, (ncclRedOp_t* op, void* scalar, ncclDataType_t type, ncclScalarResidence_t residence, ncclComm_t comm))
RINGSIDE_NCCL(ncclResult_t, RedOpDestroy, (ncclRedOp_t op, ncclComm_t comm))
RINGSIDE_NCCL(ncclResult_t, Reduce, (const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, Bcast, (void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, Broadcast, (const void* send, void* receive, size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, AllReduce, (const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, ReduceScatter, (const void* send, void* receive, size_t receiveCount, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, AllGather, (const void* send, void* receive, size_t sendCount, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, AlltoAll, (const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, Gather, (const void* send, void* receive, size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, Scatter, (const void* send, void* receive, size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, Send, (const void* send, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, Recv, (void* receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream))
RINGSIDE_NCCL(ncclResult_t, GroupStart, (void))
RINGSIDE_NCCL(ncclResult_t, GroupEnd, (void))
RINGSIDE_NCCL(ncclResult_t, GroupSimulateEnd, (ncclSimInfo_t* info))
RINGSIDE_NCCL(const char*, GetErrorString, (ncclResult_t result))
RINGSIDE_NCCL(const char*, GetLastError, (ncclComm_t comm))
RINGSIDE_NCCL(void, ResetDebugInit, (void))
#undef RINGSIDE_NCCL
// clang-format on
#ifdef __cplusplus
}
#endif
