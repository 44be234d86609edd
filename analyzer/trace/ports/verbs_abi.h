// SPDX-License-Identifier: Apache-2.0
// The part of libibverbs that is used to watch ports: layouts and numbers of infiniband/verbs.h (rdma-core 44
// and later, x86-64 and arm64), and the functions that are looked up at run time, each under the version of
// its symbol. checks/verbs_layouts.cpp holds them against the header.
#pragma once
#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::ports::verbs {

using Device = struct DeviceHandle*;

/// An opened device.
struct Context {
    Device device;
    std::array<void*, 32> operations;
    int commandFd, asyncFd, completionVectors;
    pthread_mutex_t mutex;
    std::uintptr_t extended; ///< kExtended: newer functions stand in front of it
};
inline constexpr std::uintptr_t kExtended = ~std::uintptr_t{0};
// Bytes before the context, where that part of an extended one is; it grows to the front.
inline constexpr std::size_t kSizeBefore = 8;
inline constexpr std::size_t kQueryPortBefore = 320;

struct PortAttributes {
    int state, maxMtu, activeMtu, gids;
    std::uint32_t capabilities, maxMessage, badPkeys, badQkeys;
    std::uint16_t pkeys, lid, smLid;
    std::uint8_t lidMask, lanes, smLevel, subnetTimeout, initReply, activeWidth, activeSpeed, physicalState,
        linkLayer, flags;
    std::uint16_t capabilities2;
    std::uint32_t activeSpeedEx; ///< since rdma-core 49; 0: activeSpeed holds. Older ones leave it alone
};
using QueryPort = int (*)(Context* context, std::uint8_t port, PortAttributes* attributes, std::size_t size);
inline constexpr int kPortActive = 4;
inline constexpr std::uint8_t kEthernet = 2; ///< a link layer

struct GidEntry {
    std::array<std::uint8_t, 16> gid;
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
// Events of a device or a port, which every context gets. Those of queue pairs go to their owner's alone.
inline constexpr int kDeviceFatal = 8;
inline constexpr int kPortUp = 9;
inline constexpr int kPortDown = 10;
inline constexpr int kLidChange = 11;
inline constexpr int kPkeyChange = 12;
inline constexpr int kSubnetManagerChange = 13;
inline constexpr int kReregister = 17;
inline constexpr int kGidChange = 18;

} // namespace ringside::ports::verbs

// RS_VERBS(member, exported name, version of the symbol, result, parameters)
// clang-format off
#define RINGSIDE_VERBS_FUNCTIONS(RS_VERBS)                                                                              \
    RS_VERBS(deviceList, ibv_get_device_list, "IBVERBS_1.1", ringside::ports::verbs::Device*, (int* count))             \
    RS_VERBS(freeDeviceList, ibv_free_device_list, "IBVERBS_1.1", void, (ringside::ports::verbs::Device* list))         \
    RS_VERBS(deviceName, ibv_get_device_name, "IBVERBS_1.1", const char*, (ringside::ports::verbs::Device device))      \
    RS_VERBS(openDevice, ibv_open_device, "IBVERBS_1.1", ringside::ports::verbs::Context*,                              \
             (ringside::ports::verbs::Device device))                                                                   \
    RS_VERBS(closeDevice, ibv_close_device, "IBVERBS_1.1", int, (ringside::ports::verbs::Context* context))             \
    RS_VERBS(queryPortOld, ibv_query_port, "IBVERBS_1.1", int,                                                          \
             (ringside::ports::verbs::Context* context, std::uint8_t port,                                              \
              ringside::ports::verbs::PortAttributes* attributes))                                                      \
    RS_VERBS(gidTable, _ibv_query_gid_table, "IBVERBS_1.11", ssize_t,                                                   \
             (ringside::ports::verbs::Context* context, ringside::ports::verbs::GidEntry* entries, std::size_t most,    \
              std::uint32_t flags, std::size_t entryBytes))                                                             \
    RS_VERBS(getEvent, ibv_get_async_event, "IBVERBS_1.1", int,                                                         \
             (ringside::ports::verbs::Context* context, ringside::ports::verbs::AsyncEvent* event))                     \
    RS_VERBS(acknowledge, ibv_ack_async_event, "IBVERBS_1.1", void, (ringside::ports::verbs::AsyncEvent* event))
// clang-format on
