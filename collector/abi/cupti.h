// SPDX-License-Identifier: Apache-2.0
// Prefixes of CUPTI's activity records that are the same from CUDA 11 to 13, and the functions that are
// resolved at run time. Records are longer than these structs: iterate only with
// cuptiActivityGetNextRecord.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ringside::collector::cupti {

using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kMultipleSubscribers = 39;

using Kind = std::uint32_t;
inline constexpr Kind kKindMemcpy = 1;
inline constexpr Kind kKindMemset = 2;
inline constexpr Kind kKindDriver = 4;
inline constexpr Kind kKindRuntime = 5;
inline constexpr Kind kKindConcurrentKernel = 10;
inline constexpr Kind kKindPeerMemcpy = 22; ///< MEMCPY2: between devices, and of no other kind then
inline constexpr Kind kKindExternalCorrelation = 39;
using CallbackDomain = std::uint32_t;
inline constexpr CallbackDomain kDomainDriverApi = 1;
inline constexpr CallbackDomain kDomainRuntimeApi = 2;
inline constexpr std::uint32_t kExternalKindCustom2 = 5; ///< the PyTorch profiler has the first two
inline constexpr std::uint32_t kThreadIdsOfSystem = 1;   ///< gettid(); else pthread_self(), cut
inline constexpr std::uint32_t kFlushForced = 1;
/// The value of cuptiGetVersion from which on records have a graph id (CUDA 11.2). CUDA 11.1 has it in
/// records of copies only.
inline constexpr std::uint32_t kFirstWithGraphId = 15;

struct Activity {
    std::uint32_t kind;
};
struct Kernel { ///< CUpti_ActivityKernel4 and later
    std::uint32_t kind;
    unsigned char skipped[2];
    std::uint16_t registersPerThread;
    unsigned char skippedPartitions[8];
    std::uint64_t start, end, completed;
    std::uint32_t deviceId, contextId, streamId;
    std::int32_t grid[3], block[3];
    std::int32_t staticSharedMemory, dynamicSharedMemory;
    std::uint32_t localMemoryPerThread, localMemoryTotal;
    std::uint32_t correlationId;
    std::int64_t gridId;
    const char* name;
    unsigned char skippedToo[32];
    std::uint64_t graphNodeId; ///< since CUDA 11.0
    std::uint32_t sharedMemoryLimit;
    std::uint32_t graphId; ///< since kFirstWithGraphId
};
/// What a kernel's record tells of its launch configuration. Two are compared by their bytes.
struct Shape {
    std::int32_t grid[3], block[3];
    std::int32_t staticSharedMemory, dynamicSharedMemory; ///< so far as in Kernel
    std::uint32_t registersPerThread;
    std::uint32_t padding; ///< 0
};
struct Memcpy {
    std::uint32_t kind;
    std::uint8_t copyKind, sourceKind, destinationKind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t deviceId, contextId, streamId, correlationId;
    unsigned char skipped[16];
    std::uint64_t graphNodeId; ///< since CUDA 11.0
    std::uint32_t graphId;     ///< since kFirstWithGraphId: older records end here
};
struct PeerMemcpy { ///< CUpti_ActivityMemcpyPtoP2 and later
    std::uint32_t kind;
    std::uint8_t copyKind, sourceKind, destinationKind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t deviceId, contextId, streamId;
    std::uint32_t sourceDeviceId, sourceContextId, destinationDeviceId, destinationContextId;
    std::uint32_t correlationId;
    unsigned char skipped[8];
    std::uint64_t graphNodeId; ///< since CUDA 11.0
    std::uint32_t graphId;     ///< since kFirstWithGraphId: older records end here
};
struct Memset {
    std::uint32_t kind, value;
    std::uint64_t bytes, start, end;
    std::uint32_t deviceId, contextId, streamId, correlationId;
    unsigned char skipped[16];
    std::uint64_t graphNodeId; ///< since CUDA 11.0
    std::uint32_t graphId;     ///< since kFirstWithGraphId: older records end here
};
struct Api {
    std::uint32_t kind, cbid;
    std::uint64_t start, end;
    std::uint32_t processId, threadId, correlationId, returnValue;
};
struct ExternalCorrelation {
    std::uint32_t kind, externalKind;
    std::uint64_t externalId;
    std::uint32_t correlationId;
};

/// Parameters of cuptiSubscribe_v2 as of CUDA 13.0. From 13.2 on there are more, after these; CUPTI reads as
/// many as structBytes says.
struct SubscriberParameters {
    std::size_t structBytes;
    const char* name;
    char* holder; ///< name of the current subscriber
    std::size_t holderBytes;
};
inline constexpr std::size_t kHolderNameBytes = 64;

using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* maxRecords);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                                 std::size_t validBytes);
using NextRecord = Result (*)(std::uint8_t* buffer, std::size_t validBytes, Activity** record);
using Timestamp = std::uint64_t (*)();
/// Of the _v2 functions (CUDA 13.2), which belong to a subscriber. Only passed on.
using BufferRequestedV2 = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* maxRecords,
                                   void* info);
using BufferCompletedV2 = void (*)(std::uint8_t* buffer, std::size_t bytes, std::size_t validBytes,
                                   void* info);
using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t cbid, const void* data);

} // namespace ringside::collector::cupti

// RS_CUPTI(member, exported name, parameters)
// clang-format off
#define RINGSIDE_CUPTI_FUNCTIONS(RS_CUPTI)                                                                     \
    RS_CUPTI(getVersion, cuptiGetVersion, (std::uint32_t* version))                                            \
    RS_CUPTI(subscribe, cuptiSubscribe, (void** subscriber, ringside::collector::cupti::Callback, void* user)) \
    RS_CUPTI(unsubscribe, cuptiUnsubscribe, (void* subscriber))                                                \
    RS_CUPTI(registerCallbacks, cuptiActivityRegisterCallbacks,                                                \
             (ringside::collector::cupti::BufferRequested, ringside::collector::cupti::BufferCompleted))       \
    RS_CUPTI(enable, cuptiActivityEnable, (std::uint32_t kind))                                                \
    RS_CUPTI(disable, cuptiActivityDisable, (std::uint32_t kind))                                              \
    RS_CUPTI(nextRecord, cuptiActivityGetNextRecord,                                                           \
             (std::uint8_t* buffer, std::size_t validBytes, ringside::collector::cupti::Activity** record))    \
    RS_CUPTI(flushAll, cuptiActivityFlushAll, (std::uint32_t flag))                                            \
    RS_CUPTI(droppedRecords, cuptiActivityGetNumDroppedRecords,                                                \
             (void* context, std::uint32_t stream, std::size_t* dropped))                                      \
    RS_CUPTI(timestamp, cuptiGetTimestamp, (std::uint64_t* ns))                                                \
    RS_CUPTI(callbackName, cuptiGetCallbackName, (std::uint32_t domain, std::uint32_t cbid, const char** name)) \
    RS_CUPTI(pushExternal, cuptiActivityPushExternalCorrelationId, (std::uint32_t kind, std::uint64_t id))     \
    RS_CUPTI(popExternal, cuptiActivityPopExternalCorrelationId, (std::uint32_t kind, std::uint64_t* last))

/// Functions that older versions of CUPTI lack.
#define RINGSIDE_CUPTI_NEWER_FUNCTIONS(RS_CUPTI)                                                               \
    RS_CUPTI(chooseRuntimeCall, cuptiActivityEnableRuntimeApi, (std::uint32_t cbid, std::uint8_t enable))      \
    RS_CUPTI(chooseDriverCall, cuptiActivityEnableDriverApi, (std::uint32_t cbid, std::uint8_t enable))        \
    RS_CUPTI(getThreadIdType, cuptiGetThreadIdType, (std::uint32_t* type))                                     \
    RS_CUPTI(subscribeNamed, cuptiSubscribe_v2,                                                                \
             (void** subscriber, ringside::collector::cupti::Callback, void* user,                             \
              ringside::collector::cupti::SubscriberParameters* parameters))

/// Functions by which another client starts and stops. The collector wraps them. RS_CUPTI(exported name,
/// parameters)
#define RINGSIDE_CUPTI_INTERCEPTED(RS_CUPTI)                                                                   \
    RS_CUPTI(cuptiSubscribe, (void**, ringside::collector::cupti::Callback, void*))                            \
    RS_CUPTI(cuptiSubscribe_v2, (void**, ringside::collector::cupti::Callback, void*,                          \
                                 ringside::collector::cupti::SubscriberParameters*))                           \
    RS_CUPTI(cuptiUnsubscribe, (void*))                                                                        \
    RS_CUPTI(cuptiActivityRegisterCallbacks,                                                                   \
             (ringside::collector::cupti::BufferRequested, ringside::collector::cupti::BufferCompleted))       \
    RS_CUPTI(cuptiActivityRegisterTimestampCallback, (ringside::collector::cupti::Timestamp))                  \
    RS_CUPTI(cuptiActivityEnable, (ringside::collector::cupti::Kind))                                          \
    RS_CUPTI(cuptiActivityEnableAndDump, (ringside::collector::cupti::Kind))                                   \
    RS_CUPTI(cuptiActivityEnableContext, (void*, ringside::collector::cupti::Kind))                            \
    RS_CUPTI(cuptiActivityDisable, (ringside::collector::cupti::Kind))                                         \
    RS_CUPTI(cuptiActivityDisableContext, (void*, ringside::collector::cupti::Kind))                           \
    RS_CUPTI(cuptiFinalize, ())

/// The same for a client that names its subscription: CUPTI has them from 13.2 on.
#define RINGSIDE_CUPTI_INTERCEPTED_FROM_13_2(RS_CUPTI)                                                         \
    RS_CUPTI(cuptiActivityRegisterCallbacks_v2,                                                                \
             (void*, ringside::collector::cupti::BufferRequestedV2, ringside::collector::cupti::BufferCompletedV2)) \
    RS_CUPTI(cuptiActivityEnable_v2, (void*, ringside::collector::cupti::Kind, void*))                         \
    RS_CUPTI(cuptiActivityEnableAndDump_v2, (void*, ringside::collector::cupti::Kind, void*))                  \
    RS_CUPTI(cuptiActivityDisable_v2, (void*, ringside::collector::cupti::Kind, void*))
// clang-format on
