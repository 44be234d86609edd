// SPDX-License-Identifier: Apache-2.0
// The part of libibverbs that is used to watch ports and to write into another host's memory: layouts and
// constants of infiniband/verbs.h (rdma-core 44 and later, x86-64 and arm64), and the functions that are
// looked up at run time, each with its symbol version. collector/checks/verbs_layouts.cpp checks them against
// the header.
#pragma once
#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::host::verbs {

using Device = struct DeviceHandle*; // NOLINT(bugprone-forward-declaration-namespace): another library's
struct Domain;
struct SendRequest;
struct Completion;
struct CompletionQueue;
struct QueuePair;

/// An open device with the functions of its driver.
struct Context {
    Device device;
    std::array<void*, 11> beforePoll;
    int (*poll)(CompletionQueue* queue, int most, Completion* completions);
    std::array<void*, 13> beforeSend;
    int (*send)(QueuePair* pair, SendRequest* request, SendRequest** bad);
    std::array<void*, 6> afterSend;
    int commandFd, asyncFd, completionVectors;
    pthread_mutex_t mutex;
    std::uintptr_t extended; ///< kExtended if newer functions precede it
};
inline constexpr std::uintptr_t kExtended = ~std::uintptr_t{0};
// Offset before the context of an extended one's functions; extensions grow towards lower addresses.
inline constexpr std::size_t kSizeBefore = 8;
inline constexpr std::size_t kQueryPortBefore = 320;

struct PortAttributes {
    int state, maxMtu, activeMtu, gids;
    std::uint32_t capabilities, maxMessage, badPkeys, badQkeys;
    std::uint16_t pkeys, lid, smLid;
    std::uint8_t lidMask, lanes, smLevel, subnetTimeout, initReply, activeWidth, activeSpeed, physicalState,
        linkLayer, flags;
    std::uint16_t capabilities2;
    /// Since rdma-core 49; 0 if activeSpeed is valid. Older versions do not write it.
    std::uint32_t activeSpeedEx;
};
using QueryPort = int (*)(Context* context, std::uint8_t port, PortAttributes* attributes, std::size_t size);
inline constexpr int kPortActive = 4;
inline constexpr std::uint8_t kEthernet = 2; ///< a link layer

using Gid = std::array<std::uint8_t, 16>;

struct GidEntry {
    Gid gid;
    std::uint32_t index, port, type, interface;
};
inline constexpr std::uint32_t kNoRoce = 0; ///< types of GID
inline constexpr std::uint32_t kRoceV2 = 2;

struct AsyncEvent {
    union {
        void* object;
        int port;
    } element;
    int type;
};
// Events of a device or a port, which every context receives. Events of queue pairs are only sent to their
// owner.
inline constexpr int kDeviceFatal = 8;
inline constexpr int kPortUp = 9;
inline constexpr int kPortDown = 10;
inline constexpr int kLidChange = 11;
inline constexpr int kPkeyChange = 12;
inline constexpr int kSubnetManagerChange = 13;
inline constexpr int kReregister = 17;
inline constexpr int kGidChange = 18;

// Writing into another host's memory.

struct CompletionQueue {
    Context* context; // and more
};

struct QueuePair {
    Context* context;
    void* user;
    Domain* domain;
    CompletionQueue* sendQueue;
    CompletionQueue* receiveQueue;
    void* sharedQueue;
    std::uint32_t handle;
    std::uint32_t number; // and more
};

struct Memory {
    Context* context;
    Domain* domain;
    void* address;
    std::size_t length;
    std::uint32_t handle, localKey, remoteKey;
};

struct Capacity {
    std::uint32_t sends, receives, sendPieces, receivePieces, inlineBytes;
};

struct QueuePairNeeds {
    void* user;
    CompletionQueue* sendQueue;
    CompletionQueue* receiveQueue;
    void* sharedQueue;
    Capacity capacity;
    int type;
    int signalAll;
};

struct alignas(8) Address { // aligned like the GID in the header, which can also be read as two numbers
    Gid gid;
    std::uint32_t flowLabel;
    std::uint8_t gidIndex, hops, trafficClass;
    std::uint16_t lid;
    std::uint8_t level, pathBits, rate, isGlobal, port;
};

struct QueuePairAttributes {
    int state, currentState, mtu, migration;
    std::uint32_t qkey, receiveSequence, sendSequence, peer;
    unsigned access;
    Capacity capacity;
    Address address;
    Address alternative;
    std::uint16_t pkeyIndex, alternativePkeyIndex;
    std::uint8_t notifyDrained, draining, readsOut, readsIn, notReadyTimer, port, timeout, retries,
        notReadyRetries, alternativePort, alternativeTimeout;
    std::uint32_t rateLimit;
};

/// A range of registered memory.
struct Piece {
    std::uint64_t address;
    std::uint32_t length, localKey;
};

struct SendRequest {
    std::uint64_t id;
    SendRequest* next;
    Piece* pieces;
    int pieceCount;
    int operation;
    unsigned flags;
    std::uint32_t immediate;
    std::uint64_t remoteAddress;
    std::uint32_t remoteKey;
    std::array<std::uint32_t, 19> otherOperations;
};

struct Completion {
    std::uint64_t id;
    int status, operation;
    std::uint32_t vendorError, bytes, immediate, pair, source;
    unsigned flags;
    std::uint16_t pkeyIndex, lid;
    std::uint8_t level, pathBits;
};

inline constexpr int kReliable = 2; ///< a type of queue pair
inline constexpr int kInit = 1;     ///< states of one
inline constexpr int kReadyToReceive = 2;
inline constexpr int kReadyToSend = 3;
inline constexpr int kState = 1 << 0; ///< masks of the attributes that are set
inline constexpr int kAccess = 1 << 3;
inline constexpr int kPkeyIndex = 1 << 4;
inline constexpr int kPort = 1 << 5;
inline constexpr int kAddress = 1 << 7;
inline constexpr int kMtu = 1 << 8;
inline constexpr int kTimeout = 1 << 9;
inline constexpr int kRetries = 1 << 10;
inline constexpr int kNotReadyRetries = 1 << 11;
inline constexpr int kReceiveSequence = 1 << 12;
inline constexpr int kReadsOut = 1 << 13;
inline constexpr int kNotReadyTimer = 1 << 15;
inline constexpr int kSendSequence = 1 << 16;
inline constexpr int kReadsIn = 1 << 17;
inline constexpr int kPeer = 1 << 20;
inline constexpr int kLocalWrite = 1 << 0; ///< access to memory
inline constexpr int kRemoteWrite = 1 << 1;
inline constexpr int kWrite = 0; ///< an operation
inline constexpr unsigned kSignaled = 1 << 1;
inline constexpr int kSuccess = 0; ///< a status, and others
inline constexpr int kRetriesExceeded = 12;
inline constexpr int kSmallestMtu = 1; ///< 256 bytes; each further value doubles it
inline constexpr int kLargestMtu = 5;

} // namespace ringside::host::verbs

// RS_VERBS(member, exported name, symbol version, result, parameters). The types are those of
// ringside::host::verbs.
// clang-format off
#define RINGSIDE_VERBS_FUNCTIONS(RS_VERBS)                                                                              \
    RS_VERBS(deviceList, ibv_get_device_list, "IBVERBS_1.1", Device*, (int* count))                                     \
    RS_VERBS(freeDeviceList, ibv_free_device_list, "IBVERBS_1.1", void, (Device* list))                                 \
    RS_VERBS(deviceName, ibv_get_device_name, "IBVERBS_1.1", const char*, (Device device))                              \
    RS_VERBS(openDevice, ibv_open_device, "IBVERBS_1.1", Context*, (Device device))                                     \
    RS_VERBS(closeDevice, ibv_close_device, "IBVERBS_1.1", int, (Context* context))                                     \
    RS_VERBS(queryPortOld, ibv_query_port, "IBVERBS_1.1", int,                                                          \
             (Context* context, std::uint8_t port, PortAttributes* attributes))                                         \
    RS_VERBS(gidTable, _ibv_query_gid_table, "IBVERBS_1.11", ssize_t,                                                   \
             (Context* context, GidEntry* entries, std::size_t most, std::uint32_t flags, std::size_t entryBytes))      \
    RS_VERBS(getEvent, ibv_get_async_event, "IBVERBS_1.1", int, (Context* context, AsyncEvent* event))                  \
    RS_VERBS(acknowledge, ibv_ack_async_event, "IBVERBS_1.1", void, (AsyncEvent* event))                                \
    RS_VERBS(queryGid, ibv_query_gid, "IBVERBS_1.1", int, (Context* context, std::uint8_t port, int index, Gid* gid))   \
    RS_VERBS(allocateDomain, ibv_alloc_pd, "IBVERBS_1.1", Domain*, (Context* context))                                  \
    RS_VERBS(freeDomain, ibv_dealloc_pd, "IBVERBS_1.1", int, (Domain* domain))                                          \
    RS_VERBS(registerMemory, ibv_reg_mr, "IBVERBS_1.1", Memory*,                                                        \
             (Domain* domain, void* address, std::size_t bytes, int access))                                            \
    RS_VERBS(freeMemory, ibv_dereg_mr, "IBVERBS_1.1", int, (Memory* memory))                                            \
    RS_VERBS(createQueue, ibv_create_cq, "IBVERBS_1.1", CompletionQueue*,                                               \
             (Context* context, int entries, void* user, void* channel, int vector))                                    \
    RS_VERBS(freeQueue, ibv_destroy_cq, "IBVERBS_1.1", int, (CompletionQueue* queue))                                   \
    RS_VERBS(createPair, ibv_create_qp, "IBVERBS_1.1", QueuePair*, (Domain* domain, QueuePairNeeds* needs))             \
    RS_VERBS(freePair, ibv_destroy_qp, "IBVERBS_1.1", int, (QueuePair* pair))                                           \
    RS_VERBS(modifyPair, ibv_modify_qp, "IBVERBS_1.1", int,                                                             \
             (QueuePair* pair, QueuePairAttributes* attributes, int mask))
// clang-format on
