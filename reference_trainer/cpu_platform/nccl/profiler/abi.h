// SPDX-License-Identifier: Apache-2.0
// The binary interface of NCCL's profiler plugins, versions 4 and 5, as in NCCL 2.28, and 7, as in 2.31
// (src/include/plugin of its source): only numbers, layouts and signatures, under different names.
#pragma once
#include "debug_log.h"

#include <nccl.h>

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace ringside::nccl::profiler {

/// Bits of the activation mask, and types of events.
enum EventType : std::uint32_t {
    kGroup = 1U << 0U,
    kColl = 1U << 1U,
    kP2p = 1U << 2U,
    kProxyOp = 1U << 3U,
    kProxyStep = 1U << 4U,
    kProxyCtrl = 1U << 5U,
    kKernelCh = 1U << 6U,
    kNetPlugin = 1U << 7U,
    kGroupApi = 1U << 8U,
    kCollApi = 1U << 9U,
    kP2pApi = 1U << 10U,
    kKernelLaunch = 1U << 11U,
    kKernelPhase = 1U << 15U ///< version 7
};

enum class EventState : int {
    StepSendWait = 9,
    StepRecvWait = 10,
    OpInProgress = 19,
    KernelChStop = 22,
    GroupStartApiStop = 23,
    GroupEndApiStart = 24,
    KernelPhaseStop = 31
};

struct CollFields {
    std::uint64_t sequence;
    const char* function;
    const void* send;
    void* receive;
    std::size_t count;
    int root;
    const char* type;
    std::uint8_t channels;
    std::uint8_t warps;
    const char* algorithm;
    const char* protocol;
};
struct P2pFields {
    const char* function;
    void* buffer;
    const char* type;
    std::size_t count;
    int peer;
    std::uint8_t channels;
};
struct ProxyOpFields {
    pid_t process;
    std::uint8_t channel;
    int peer;
    int steps;
    int chunkBytes;
    int isSend;
};
struct ProxyStepFields {
    int step;
};
struct KernelChFields {
    std::uint8_t channel;
    std::uint64_t timer; ///< ns of the device's clock
};

struct DescriptorV4 {
    std::uint8_t type;
    void* parent;
    int rank;
    union {
        CollFields coll;
        P2pFields p2p;
        ProxyOpFields proxyOp;
        ProxyStepFields proxyStep;
        KernelChFields kernelCh;
    };
};

struct DescriptorV5 {
    std::uint64_t type;
    void* parent;
    int rank;
    union {
        struct {
            bool captured;
            int depth;
        } groupApi;
        struct {
            const char* function;
            std::size_t count;
            const char* type;
            int root;
            void* stream;
            bool captured;
        } collApi;
        struct {
            const char* function;
            std::size_t count;
            const char* type;
            void* stream;
            bool captured;
        } p2pApi;
        struct {
            void* stream;
        } kernelLaunch;
        struct {
            CollFields fields;
            void* group;
        } coll;
        struct {
            P2pFields fields;
            void* group;
        } p2p;
        ProxyOpFields proxyOp;
        ProxyStepFields proxyStep;
        KernelChFields kernelCh;
    };
};

/// Every event of version 5 is the beginning of the same one of version 7.
struct DescriptorV7 {
    std::uint64_t type;
    void* parent;
    int rank;
    union {
        struct {
            bool captured;
            int depth;
        } groupApi;
        struct {
            const char* function;
            std::size_t count;
            const char* type;
            int root;
            void* stream;
            bool captured;
        } collApi;
        struct {
            const char* function;
            std::size_t count;
            const char* type;
            void* stream;
            bool captured;
        } p2pApi;
        struct {
            void* stream;
        } kernelLaunch;
        struct {
            CollFields fields;
            void* group;
            const char* kernelVariant;
            bool symmetric;
            std::uint64_t userTag;
        } coll;
        struct {
            P2pFields fields;
            void* group;
        } p2p;
        ProxyOpFields proxyOp;
        ProxyStepFields proxyStep;
        KernelChFields kernelCh;
        struct {
            std::uint8_t channel;
            std::uint8_t phase; ///< 0 initial_sync, 1 compute, 2 final_sync
            const char* name;
            std::uint64_t timer;
        } kernelPhase;
    };
};

using Descriptor = DescriptorV7;

union StateArguments {
    struct {
        std::size_t bytes;
    } proxyStep;
    struct {
        std::uint64_t timer;
    } kernelCh;
};

using Logger = void (*)(LogLevel level, unsigned long subsystems, const char* file, int line,
                        const char* format, ...);

/// Type of the data symbol ncclProfiler_v4.
struct PluginV4 {
    const char* name;
    ncclResult_t (*init)(void** context, int* mask, const char* commName, std::uint64_t commHash, int nodes,
                         int ranks, int rank, Logger logger);
    ncclResult_t (*startEvent)(void* context, void** handle, DescriptorV4* descriptor);
    ncclResult_t (*stopEvent)(void* handle);
    ncclResult_t (*recordEventState)(void* handle, EventState state, StateArguments* arguments);
    ncclResult_t (*finalize)(void* context);
};
/// Type of the data symbol ncclProfiler_v5.
struct PluginV5 {
    const char* name;
    ncclResult_t (*init)(void** context, std::uint64_t commId, int* mask, const char* commName, int nodes,
                         int ranks, int rank, Logger logger);
    ncclResult_t (*startEvent)(void* context, void** handle, DescriptorV5* descriptor);
    ncclResult_t (*stopEvent)(void* handle);
    ncclResult_t (*recordEventState)(void* handle, EventState state, StateArguments* arguments);
    ncclResult_t (*finalize)(void* context);
};

/// Type of the data symbol ncclProfiler_v7.
struct PluginV7 {
    const char* name;
    ncclResult_t (*init)(void** context, std::uint64_t commId, int* mask, const char* commName, int nodes,
                         int ranks, int rank, Logger logger);
    ncclResult_t (*startEvent)(void* context, void** handle, DescriptorV7* descriptor);
    ncclResult_t (*stopEvent)(void* handle);
    ncclResult_t (*recordEventState)(void* handle, EventState state, StateArguments* arguments);
    ncclResult_t (*finalize)(void* context);
};

static_assert(sizeof(DescriptorV4) == 104 && sizeof(StateArguments) == 8 && sizeof(PluginV5) == 48);
static_assert(sizeof(DescriptorV5) == 112 && offsetof(DescriptorV5, rank) == 16);
static_assert(offsetof(DescriptorV5, coll.fields.algorithm) == 88 &&
              offsetof(DescriptorV5, coll.group) == 104);
static_assert(offsetof(DescriptorV5, coll.fields.channels) == 80 && offsetof(DescriptorV5, p2p.group) == 64);
static_assert(offsetof(DescriptorV5, collApi.stream) == 56 && offsetof(DescriptorV5, p2pApi.captured) == 56);
static_assert(offsetof(DescriptorV5, proxyOp.isSend) == 44 && offsetof(DescriptorV5, kernelCh.timer) == 32);
static_assert(sizeof(DescriptorV7) == 136 && offsetof(DescriptorV7, coll.kernelVariant) == 112);
static_assert(offsetof(DescriptorV7, coll.userTag) == 128 && offsetof(DescriptorV7, kernelPhase.timer) == 40);

} // namespace ringside::nccl::profiler
