// SPDX-License-Identifier: Apache-2.0
// The part of libibverbs that writes into another host's memory: layouts and numbers of infiniband/verbs.h
// (rdma-core; a stable ABI since version 1.1 of its symbols) on 64-bit machines, and the functions that are
// looked up at run time. tests/unit/analyzer/verbs_layouts_test.cpp holds them against the header.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::probe::verbs {

struct Device;
struct Domain;
struct SendRequest;
struct Completion;
struct CompletionQueue;
struct QueuePair;

/// An opened device, as far as it is used: its driver's own functions.
struct Context {
    Device* device;
    std::array<void*, 11> beforePoll;
    int (*poll)(CompletionQueue* queue, int most, Completion* completions);
    std::array<void*, 13> beforeSend;
    int (*send)(QueuePair* pair, SendRequest* request, SendRequest** bad);
};

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

struct PortAttributes {
    int state, maxMtu, activeMtu, gids;
    std::uint32_t capabilities, maxMessage, badPkeys, badQkeys;
    std::uint16_t pkeys, lid, smLid;
    std::array<std::byte, 18> rest; ///< more than any version of ibv_query_port itself fills in
};

using Gid = std::array<std::uint8_t, 16>;

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

struct alignas(8) Address { // as the GID there, which may also be read as two numbers
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

/// A stretch of registered memory.
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
inline constexpr int kState = 1 << 0; ///< which attributes are given
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
inline constexpr int kSmallestMtu = 1; ///< 256 bytes; each next is twice as large
inline constexpr int kLargestMtu = 5;

} // namespace ringside::probe::verbs

// RINGSIDE_VERB(member, exported name, result, parameters)
// clang-format off
#define RINGSIDE_VERBS(RINGSIDE_VERB)                                                                        \
    RINGSIDE_VERB(deviceList, ibv_get_device_list, verbs::Device**, (int* count))                            \
    RINGSIDE_VERB(freeDeviceList, ibv_free_device_list, void, (verbs::Device** list))                        \
    RINGSIDE_VERB(deviceName, ibv_get_device_name, const char*, (verbs::Device* device))                     \
    RINGSIDE_VERB(openDevice, ibv_open_device, verbs::Context*, (verbs::Device* device))                     \
    RINGSIDE_VERB(closeDevice, ibv_close_device, int, (verbs::Context* context))                             \
    RINGSIDE_VERB(queryPort, ibv_query_port, int,                                                            \
                  (verbs::Context* context, std::uint8_t port, verbs::PortAttributes* attributes))           \
    RINGSIDE_VERB(queryGid, ibv_query_gid, int,                                                              \
                  (verbs::Context* context, std::uint8_t port, int index, verbs::Gid* gid))                  \
    RINGSIDE_VERB(allocateDomain, ibv_alloc_pd, verbs::Domain*, (verbs::Context* context))                   \
    RINGSIDE_VERB(freeDomain, ibv_dealloc_pd, int, (verbs::Domain* domain))                                  \
    RINGSIDE_VERB(registerMemory, ibv_reg_mr, verbs::Memory*,                                                \
                  (verbs::Domain* domain, void* address, std::size_t bytes, int access))                     \
    RINGSIDE_VERB(freeMemory, ibv_dereg_mr, int, (verbs::Memory* memory))                                    \
    RINGSIDE_VERB(createQueue, ibv_create_cq, verbs::CompletionQueue*,                                       \
                  (verbs::Context* context, int entries, void* user, void* channel, int vector))             \
    RINGSIDE_VERB(freeQueue, ibv_destroy_cq, int, (verbs::CompletionQueue* queue))                           \
    RINGSIDE_VERB(createPair, ibv_create_qp, verbs::QueuePair*,                                              \
                  (verbs::Domain* domain, verbs::QueuePairNeeds* needs))                                     \
    RINGSIDE_VERB(freePair, ibv_destroy_qp, int, (verbs::QueuePair* pair))                                   \
    RINGSIDE_VERB(modifyPair, ibv_modify_qp, int,                                                            \
                  (verbs::QueuePair* pair, verbs::QueuePairAttributes* attributes, int mask))
// clang-format on
