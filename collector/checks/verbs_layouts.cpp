// SPDX-License-Identifier: Apache-2.0
// Our structures and numbers of libibverbs against infiniband/verbs.h, where it is installed.
#include "trace/ports/verbs_abi.h"

#include <infiniband/verbs.h>

#include <cstddef>
#include <type_traits>

using namespace ringside::ports;

#define RINGSIDE_EQUAL(ours, theirs)                                                                         \
    static_assert(static_cast<unsigned long long>(ours) == static_cast<unsigned long long>(theirs))
#define RINGSIDE_PLACE(ours, member, theirs, theirMember)                                                    \
    static_assert(offsetof(ours, member) == offsetof(theirs, theirMember))

static_assert(sizeof(verbs::Context) == sizeof(ibv_context));
RINGSIDE_PLACE(verbs::Context, commandFd, ibv_context, cmd_fd);
RINGSIDE_PLACE(verbs::Context, asyncFd, ibv_context, async_fd);
RINGSIDE_PLACE(verbs::Context, extended, ibv_context, abi_compat);
RINGSIDE_EQUAL(verbs::kExtended, UINTPTR_MAX);
RINGSIDE_EQUAL(verbs::kSizeBefore, offsetof(verbs_context, context) - offsetof(verbs_context, sz));
RINGSIDE_EQUAL(verbs::kQueryPortBefore,
               offsetof(verbs_context, context) - offsetof(verbs_context, query_port));
static_assert(sizeof(verbs_context) - offsetof(verbs_context, context) == sizeof(verbs::Context));

// The header may be older than active_speed_ex, which then would follow.
static_assert(sizeof(verbs::PortAttributes) >= sizeof(ibv_port_attr));
static_assert(offsetof(verbs::PortAttributes, activeSpeedEx) <= sizeof(ibv_port_attr));
RINGSIDE_PLACE(verbs::PortAttributes, state, ibv_port_attr, state);
RINGSIDE_PLACE(verbs::PortAttributes, maxMtu, ibv_port_attr, max_mtu);
RINGSIDE_PLACE(verbs::PortAttributes, activeMtu, ibv_port_attr, active_mtu);
RINGSIDE_PLACE(verbs::PortAttributes, gids, ibv_port_attr, gid_tbl_len);
RINGSIDE_PLACE(verbs::PortAttributes, activeWidth, ibv_port_attr, active_width);
RINGSIDE_PLACE(verbs::PortAttributes, activeSpeed, ibv_port_attr, active_speed);
RINGSIDE_PLACE(verbs::PortAttributes, physicalState, ibv_port_attr, phys_state);
RINGSIDE_PLACE(verbs::PortAttributes, linkLayer, ibv_port_attr, link_layer);
RINGSIDE_PLACE(verbs::PortAttributes, capabilities2, ibv_port_attr, port_cap_flags2);
RINGSIDE_EQUAL(verbs::kPortActive, IBV_PORT_ACTIVE);
RINGSIDE_EQUAL(verbs::kEthernet, IBV_LINK_LAYER_ETHERNET);
static_assert(std::is_same_v<decltype(verbs_context::query_port),
                             int (*)(ibv_context*, std::uint8_t, ibv_port_attr*, std::size_t)>);

static_assert(sizeof(verbs::GidEntry) == sizeof(ibv_gid_entry));
RINGSIDE_PLACE(verbs::GidEntry, index, ibv_gid_entry, gid_index);
RINGSIDE_PLACE(verbs::GidEntry, port, ibv_gid_entry, port_num);
RINGSIDE_PLACE(verbs::GidEntry, type, ibv_gid_entry, gid_type);
RINGSIDE_EQUAL(verbs::kNoRoce, IBV_GID_TYPE_IB);
RINGSIDE_EQUAL(verbs::kRoceV2, IBV_GID_TYPE_ROCE_V2);

static_assert(sizeof(verbs::AsyncEvent) == sizeof(ibv_async_event));
RINGSIDE_PLACE(verbs::AsyncEvent, type, ibv_async_event, event_type);
RINGSIDE_EQUAL(verbs::kDeviceFatal, IBV_EVENT_DEVICE_FATAL);
RINGSIDE_EQUAL(verbs::kPortUp, IBV_EVENT_PORT_ACTIVE);
RINGSIDE_EQUAL(verbs::kPortDown, IBV_EVENT_PORT_ERR);
RINGSIDE_EQUAL(verbs::kLidChange, IBV_EVENT_LID_CHANGE);
RINGSIDE_EQUAL(verbs::kPkeyChange, IBV_EVENT_PKEY_CHANGE);
RINGSIDE_EQUAL(verbs::kSubnetManagerChange, IBV_EVENT_SM_CHANGE);
RINGSIDE_EQUAL(verbs::kReregister, IBV_EVENT_CLIENT_REREGISTER);
RINGSIDE_EQUAL(verbs::kGidChange, IBV_EVENT_GID_CHANGE);
