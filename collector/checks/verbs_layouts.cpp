// SPDX-License-Identifier: Apache-2.0
// Compares our structures and numbers of libibverbs with infiniband/verbs.h, if it is installed.
#include "host/verbs/abi.h"

#include <infiniband/verbs.h>

#include <cstddef>
#include <type_traits>

using namespace ringside::host;

#define RINGSIDE_EQUAL(ours, theirs)                                                                         \
    static_assert(static_cast<unsigned long long>(ours) == static_cast<unsigned long long>(theirs))
#define RINGSIDE_PLACE(ours, member, theirs, theirMember)                                                    \
    static_assert(offsetof(ours, member) == offsetof(theirs, theirMember));                                  \
    static_assert(sizeof(ours::member) == sizeof(theirs::theirMember))

static_assert(sizeof(verbs::Context) == sizeof(ibv_context));
RINGSIDE_PLACE(verbs::Context, commandFd, ibv_context, cmd_fd);
RINGSIDE_PLACE(verbs::Context, asyncFd, ibv_context, async_fd);
RINGSIDE_PLACE(verbs::Context, extended, ibv_context, abi_compat);
RINGSIDE_EQUAL(verbs::kExtended, UINTPTR_MAX);
RINGSIDE_EQUAL(verbs::kSizeBefore, offsetof(verbs_context, context) - offsetof(verbs_context, sz));
RINGSIDE_EQUAL(verbs::kQueryPortBefore,
               offsetof(verbs_context, context) - offsetof(verbs_context, query_port));
static_assert(sizeof(verbs_context) - offsetof(verbs_context, context) == sizeof(verbs::Context));

// The header may be older than active_speed_ex, which follows the last member then.
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

RINGSIDE_PLACE(verbs::Context, poll, ibv_context, ops.poll_cq);
RINGSIDE_PLACE(verbs::Context, send, ibv_context, ops.post_send);
RINGSIDE_PLACE(verbs::CompletionQueue, context, ibv_cq, context);
RINGSIDE_PLACE(verbs::QueuePair, context, ibv_qp, context);
RINGSIDE_PLACE(verbs::QueuePair, number, ibv_qp, qp_num);
static_assert(sizeof(verbs::Memory) == sizeof(ibv_mr));
RINGSIDE_PLACE(verbs::Memory, localKey, ibv_mr, lkey);
RINGSIDE_PLACE(verbs::Memory, remoteKey, ibv_mr, rkey);
RINGSIDE_PLACE(verbs::PortAttributes, lid, ibv_port_attr, lid);
static_assert(sizeof(verbs::Gid) == sizeof(ibv_gid));
static_assert(sizeof(verbs::Capacity) == sizeof(ibv_qp_cap));
static_assert(sizeof(verbs::QueuePairNeeds) == sizeof(ibv_qp_init_attr));
RINGSIDE_PLACE(verbs::QueuePairNeeds, sendQueue, ibv_qp_init_attr, send_cq);
RINGSIDE_PLACE(verbs::QueuePairNeeds, capacity, ibv_qp_init_attr, cap);
RINGSIDE_PLACE(verbs::QueuePairNeeds, type, ibv_qp_init_attr, qp_type);
RINGSIDE_PLACE(verbs::QueuePairNeeds, signalAll, ibv_qp_init_attr, sq_sig_all);

static_assert(sizeof(verbs::Address) == sizeof(ibv_ah_attr));
RINGSIDE_PLACE(verbs::Address, gidIndex, ibv_ah_attr, grh.sgid_index);
RINGSIDE_PLACE(verbs::Address, hops, ibv_ah_attr, grh.hop_limit);
RINGSIDE_PLACE(verbs::Address, lid, ibv_ah_attr, dlid);
RINGSIDE_PLACE(verbs::Address, isGlobal, ibv_ah_attr, is_global);
RINGSIDE_PLACE(verbs::Address, port, ibv_ah_attr, port_num);
static_assert(sizeof(verbs::QueuePairAttributes) == sizeof(ibv_qp_attr));
RINGSIDE_PLACE(verbs::QueuePairAttributes, mtu, ibv_qp_attr, path_mtu);
RINGSIDE_PLACE(verbs::QueuePairAttributes, receiveSequence, ibv_qp_attr, rq_psn);
RINGSIDE_PLACE(verbs::QueuePairAttributes, sendSequence, ibv_qp_attr, sq_psn);
RINGSIDE_PLACE(verbs::QueuePairAttributes, peer, ibv_qp_attr, dest_qp_num);
RINGSIDE_PLACE(verbs::QueuePairAttributes, access, ibv_qp_attr, qp_access_flags);
RINGSIDE_PLACE(verbs::QueuePairAttributes, address, ibv_qp_attr, ah_attr);
RINGSIDE_PLACE(verbs::QueuePairAttributes, pkeyIndex, ibv_qp_attr, pkey_index);
RINGSIDE_PLACE(verbs::QueuePairAttributes, readsOut, ibv_qp_attr, max_rd_atomic);
RINGSIDE_PLACE(verbs::QueuePairAttributes, readsIn, ibv_qp_attr, max_dest_rd_atomic);
RINGSIDE_PLACE(verbs::QueuePairAttributes, notReadyTimer, ibv_qp_attr, min_rnr_timer);
RINGSIDE_PLACE(verbs::QueuePairAttributes, port, ibv_qp_attr, port_num);
RINGSIDE_PLACE(verbs::QueuePairAttributes, timeout, ibv_qp_attr, timeout);
RINGSIDE_PLACE(verbs::QueuePairAttributes, retries, ibv_qp_attr, retry_cnt);
RINGSIDE_PLACE(verbs::QueuePairAttributes, notReadyRetries, ibv_qp_attr, rnr_retry);

static_assert(sizeof(verbs::Piece) == sizeof(ibv_sge));
RINGSIDE_PLACE(verbs::Piece, localKey, ibv_sge, lkey);
static_assert(sizeof(verbs::SendRequest) == sizeof(ibv_send_wr));
RINGSIDE_PLACE(verbs::SendRequest, pieces, ibv_send_wr, sg_list);
RINGSIDE_PLACE(verbs::SendRequest, operation, ibv_send_wr, opcode);
RINGSIDE_PLACE(verbs::SendRequest, flags, ibv_send_wr, send_flags);
RINGSIDE_PLACE(verbs::SendRequest, remoteAddress, ibv_send_wr, wr.rdma.remote_addr);
RINGSIDE_PLACE(verbs::SendRequest, remoteKey, ibv_send_wr, wr.rdma.rkey);
static_assert(sizeof(verbs::Completion) == sizeof(ibv_wc));
RINGSIDE_PLACE(verbs::Completion, status, ibv_wc, status);

RINGSIDE_EQUAL(verbs::kReliable, IBV_QPT_RC);
RINGSIDE_EQUAL(verbs::kInit, IBV_QPS_INIT);
RINGSIDE_EQUAL(verbs::kReadyToReceive, IBV_QPS_RTR);
RINGSIDE_EQUAL(verbs::kReadyToSend, IBV_QPS_RTS);
RINGSIDE_EQUAL(verbs::kState, IBV_QP_STATE);
RINGSIDE_EQUAL(verbs::kAccess, IBV_QP_ACCESS_FLAGS);
RINGSIDE_EQUAL(verbs::kPkeyIndex, IBV_QP_PKEY_INDEX);
RINGSIDE_EQUAL(verbs::kPort, IBV_QP_PORT);
RINGSIDE_EQUAL(verbs::kAddress, IBV_QP_AV);
RINGSIDE_EQUAL(verbs::kMtu, IBV_QP_PATH_MTU);
RINGSIDE_EQUAL(verbs::kTimeout, IBV_QP_TIMEOUT);
RINGSIDE_EQUAL(verbs::kRetries, IBV_QP_RETRY_CNT);
RINGSIDE_EQUAL(verbs::kNotReadyRetries, IBV_QP_RNR_RETRY);
RINGSIDE_EQUAL(verbs::kReceiveSequence, IBV_QP_RQ_PSN);
RINGSIDE_EQUAL(verbs::kReadsOut, IBV_QP_MAX_QP_RD_ATOMIC);
RINGSIDE_EQUAL(verbs::kNotReadyTimer, IBV_QP_MIN_RNR_TIMER);
RINGSIDE_EQUAL(verbs::kSendSequence, IBV_QP_SQ_PSN);
RINGSIDE_EQUAL(verbs::kReadsIn, IBV_QP_MAX_DEST_RD_ATOMIC);
RINGSIDE_EQUAL(verbs::kPeer, IBV_QP_DEST_QPN);
RINGSIDE_EQUAL(verbs::kLocalWrite, IBV_ACCESS_LOCAL_WRITE);
RINGSIDE_EQUAL(verbs::kRemoteWrite, IBV_ACCESS_REMOTE_WRITE);
RINGSIDE_EQUAL(verbs::kWrite, IBV_WR_RDMA_WRITE);
RINGSIDE_EQUAL(verbs::kSignaled, IBV_SEND_SIGNALED);
RINGSIDE_EQUAL(verbs::kSuccess, IBV_WC_SUCCESS);
RINGSIDE_EQUAL(verbs::kRetriesExceeded, IBV_WC_RETRY_EXC_ERR);
RINGSIDE_EQUAL(verbs::kSmallestMtu, IBV_MTU_256);
RINGSIDE_EQUAL(verbs::kLargestMtu, IBV_MTU_4096);
