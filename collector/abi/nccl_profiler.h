// SPDX-License-Identifier: Apache-2.0
// The binary interface of NCCL's profiler plugins, versions 3 to 7, under our own names. Numbers,
// layouts and signatures are those of src/include/plugin/profiler/profiler_v{3,4,5,6,7}.h in NCCL's
// source (2.26 to 2.31). No package installs these headers, so static_asserts check their offsets.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ringside::collector::profiler {

using Result = int; ///< ncclResult_t
inline constexpr Result kSuccess = 0;

/// Types of events, which are also the bits of the activation mask.
enum EventType : std::uint64_t {
    kGroup = 1U << 0U,
    kColl = 1U << 1U,
    kP2p = 1U << 2U,
    kProxyOp = 1U << 3U,
    kProxyStep = 1U << 4U,
    kProxyCtrl = 1U << 5U,
    kKernelCh = 1U << 6U,
    kNetPlugin = 1U << 7U,
    kGroupApi = 1U << 8U, ///< this and the next three: from version 5 on
    kCollApi = 1U << 9U,
    kP2pApi = 1U << 10U,
    kKernelLaunch = 1U << 11U,
    kCeColl = 1U << 12U, ///< this and the next two: from version 6 on
    kCeSync = 1U << 13U,
    kCeBatch = 1U << 14U,
    kKernelPhase = 1U << 15U, ///< from version 7 on
};

enum class State : int {
    StepSendGpuWait = 8,
    StepSendWait = 9,
    StepRecvWait = 10,
    StepRecvFlushWait = 11,
    StepRecvGpuWait = 12,
    CtrlIdle = 13,
    CtrlAppendEnd = 18,
    OpInProgress = 19, ///< from version 4 on, as the next
    StepSendPeerWait = 20,
    NetPluginUpdate = 21,
    KernelChStop = 22,
    GroupStartApiStop = 23,
    GroupEndApiStart = 24,
    KernelPhaseStop = 31, ///< from version 7 on
};

struct ProxyOpFields {
    int pid;
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
    std::uint64_t timer; ///< the GPU's globaltimer, ns; not in version 3
};
struct NetPluginFields {
    std::int64_t id;
    void* data;
};

struct CollFields {
    std::uint64_t sequence;
    const char* function;
    const void* send;
    void* receive;
    std::size_t count;
    int root;
    const char* datatype;
    std::uint8_t channels;
    std::uint8_t warps;
    const char* algorithm;
    const char* protocol;
};
struct P2pFields {
    const char* function;
    void* buffer;
    const char* datatype;
    std::size_t count;
    int peer;
    std::uint8_t channels;
};

struct DescriptorV3 {
    std::uint8_t type;
    void* parent;
    int rank;
    union {
        struct {
            const char* communicatorName;
            std::uint64_t communicatorHash;
            CollFields fields;
        } coll;
        struct {
            const char* communicatorName;
            std::uint64_t communicatorHash;
            const char* function;
            void* buffer;
            const char* datatype;
            std::size_t count;
            int peer;
        } p2p;
        ProxyOpFields proxyOp;
        ProxyStepFields proxyStep;
        struct {
            std::uint8_t channel;
        } kernelCh;
        NetPluginFields netPlugin;
    };
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
        NetPluginFields netPlugin;
    };
};

struct GroupApiFields {
    bool captured;
    int depth;
};
struct CollApiFields {
    const char* function;
    std::size_t count;
    const char* datatype;
    int root;
    void* stream;
    bool captured;
};
struct P2pApiFields {
    const char* function;
    std::size_t count;
    const char* datatype;
    void* stream;
    bool captured;
};
struct CeCollFields {
    std::uint64_t sequence;
    const char* function;
    const void* send;
    void* receive;
    std::size_t count;
    int root;
    const char* datatype;
    const char* syncStrategy;
    bool intraBatchSync;
    std::uint32_t batchSize;
    std::uint32_t batches;
    std::uint32_t ceSequence;
    void* stream;
};

struct CeSyncFields {
    bool isComplete;
    int ranks;
};
struct CeBatchFields {
    int copies;
    std::size_t bytes;
    bool intraBatchSync;
};
struct KernelPhaseFields {
    std::uint8_t channel;
    std::uint8_t phase; ///< 0 initial_sync, 1 compute, 2 final_sync
    const char* name;
    std::uint64_t timer; ///< the GPU's globaltimer, ns
};

/// Version 6 adds the events of copy engines to version 5.
struct DescriptorV6 {
    std::uint64_t type;
    void* parent;
    int rank;
    union {
        GroupApiFields groupApi;
        CollApiFields collApi;
        P2pApiFields p2pApi;
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
            std::uint64_t userTag; ///< version 7 only
        } p2p;
        ProxyOpFields proxyOp;
        ProxyStepFields proxyStep;
        KernelChFields kernelCh;
        NetPluginFields netPlugin;
        CeCollFields ceColl;
        CeSyncFields ceSync;
        CeBatchFields ceBatch;
        KernelPhaseFields kernelPhase; ///< version 7 only
    };
};
using DescriptorV5 = DescriptorV6;
/// Some events of version 7 are longer than in version 6, and two are longer than its union was. Everything
/// else kept its offset.
struct DescriptorV7 : DescriptorV6 {
    union {
        struct {
            const char* kernelVariant;
            bool symmetric;
            std::uint64_t userTag;
        } coll;
        struct {
            std::uint64_t userTag;
        } ceColl;
    } more;
};
union StateArgumentsV3 {
    struct {
        std::size_t bytes;
        int steps;
    } proxyOp;
    struct {
        int appendedOps;
    } proxyCtrl;
};
/// Also of versions 5 to 7.
union StateArguments {
    struct {
        std::size_t bytes;
    } proxyStep;
    struct {
        int appendedOps;
    } proxyCtrl;
    struct {
        void* data;
    } netPlugin;
    struct {
        std::uint64_t timer;
    } kernelCh;
};

using Logger = void (*)(int level, unsigned long subsystems, const char* file, int line, const char* format,
                        ...);
using InitV3 = Result(void** context, int* mask);
using InitV4 = Result(void** context, int* mask, const char* name, std::uint64_t hash, int nodes, int ranks,
                      int rank, Logger logger);
using InitV5 = Result(void** context, std::uint64_t hash, int* mask, const char* name, int nodes, int ranks,
                      int rank, Logger logger);

/// The type of the data symbols ncclProfiler_vN.
template <class Init, class Descriptor, class Arguments>
struct Plugin {
    const char* name;
    Init* init;
    Result (*startEvent)(void* context, void** handle, Descriptor* descriptor);
    Result (*stopEvent)(void* handle);
    Result (*recordEventState)(void* handle, State state, Arguments* arguments);
    Result (*finalize)(void* context);
};
using PluginV3 = Plugin<InitV3, DescriptorV3, StateArgumentsV3>;
using PluginV4 = Plugin<InitV4, DescriptorV4, StateArguments>;
using PluginV5 = Plugin<InitV5, DescriptorV5, StateArguments>;
using PluginV6 = Plugin<InitV5, DescriptorV6, StateArguments>;
using PluginV7 = Plugin<InitV5, DescriptorV7, StateArguments>;

static_assert(sizeof(PluginV3) == 48 && sizeof(PluginV6) == 48 && sizeof(StateArguments) == 8);
static_assert(sizeof(DescriptorV3) == 120 && offsetof(DescriptorV3, coll.fields.sequence) == 40);
static_assert(offsetof(DescriptorV3, coll.fields.protocol) == 112 && offsetof(DescriptorV3, p2p.peer) == 72);
static_assert(sizeof(DescriptorV4) == 104 && offsetof(DescriptorV4, coll.sequence) == 24 &&
              offsetof(DescriptorV4, coll.protocol) == 96);
static_assert(offsetof(DescriptorV4, p2p.channels) == 60 && offsetof(DescriptorV4, kernelCh.timer) == 32);
static_assert(sizeof(DescriptorV6) == 112 && offsetof(DescriptorV6, rank) == 16 &&
              offsetof(DescriptorV6, coll.group) == 104);
static_assert(offsetof(DescriptorV6, collApi.stream) == 56 && offsetof(DescriptorV6, p2pApi.stream) == 48);
static_assert(offsetof(DescriptorV6, groupApi.depth) == 28 && offsetof(DescriptorV6, p2p.group) == 64);
static_assert(offsetof(DescriptorV6, proxyOp.channel) == 28 && offsetof(DescriptorV6, proxyOp.isSend) == 44);
static_assert(offsetof(DescriptorV6, ceColl.syncStrategy) == 80 &&
              offsetof(DescriptorV6, ceColl.stream) == 104);
static_assert(offsetof(DescriptorV6, p2p.userTag) == 72 && offsetof(DescriptorV6, kernelPhase.phase) == 25);
static_assert(offsetof(DescriptorV6, kernelPhase.timer) == 40 && offsetof(DescriptorV6, ceSync.ranks) == 28);
static_assert(offsetof(DescriptorV6, ceBatch.bytes) == 32 &&
              offsetof(DescriptorV6, ceBatch.intraBatchSync) == 40);
static_assert(sizeof(DescriptorV7) == 136); // coll: kernelVariant at 112, userTag at 128; ceColl: at 112

} // namespace ringside::collector::profiler
