// SPDX-License-Identifier: Apache-2.0
// Our structures and numbers of libibverbs against infiniband/verbs.h, where it is installed.
#if __has_include(<infiniband/verbs.h>)
#include "probe/verbs_abi.h"

#include <infiniband/verbs.h>

using namespace ringside::probe;

#define RINGSIDE_EQUAL(ours, theirs)                                                                         \
    static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs))
#define RINGSIDE_PLACE(ours, member, theirs, theirMember)                                                    \
    static_assert(offsetof(ours, member) == offsetof(theirs, theirMember));                                  \
    static_assert(sizeof(ours::member) == sizeof(theirs::theirMember))
#define RINGSIDE_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))

RINGSIDE_PLACE(verbs::Context, poll, ibv_context, ops.poll_cq);
RINGSIDE_PLACE(verbs::Context, send, ibv_context, ops.post_send);
RINGSIDE_PLACE(verbs::CompletionQueue, context, ibv_cq, context);
RINGSIDE_PLACE(verbs::QueuePair, context, ibv_qp, context);
RINGSIDE_PLACE(verbs::QueuePair, number, ibv_qp, qp_num);
RINGSIDE_SIZE(verbs::Memory, ibv_mr);
RINGSIDE_PLACE(verbs::Memory, localKey, ibv_mr, lkey);
RINGSIDE_PLACE(verbs::Memory, remoteKey, ibv_mr, rkey);
static_assert(sizeof(verbs::PortAttributes) >= sizeof(ibv_port_attr));
RINGSIDE_PLACE(verbs::PortAttributes, activeMtu, ibv_port_attr, active_mtu);
RINGSIDE_PLACE(verbs::PortAttributes, lid, ibv_port_attr, lid);
RINGSIDE_SIZE(verbs::Gid, ibv_gid);
RINGSIDE_SIZE(verbs::Capacity, ibv_qp_cap);
RINGSIDE_SIZE(verbs::QueuePairNeeds, ibv_qp_init_attr);
RINGSIDE_PLACE(verbs::QueuePairNeeds, sendQueue, ibv_qp_init_attr, send_cq);
RINGSIDE_PLACE(verbs::QueuePairNeeds, capacity, ibv_qp_init_attr, cap);
RINGSIDE_PLACE(verbs::QueuePairNeeds, type, ibv_qp_init_attr, qp_type);
RINGSIDE_PLACE(verbs::QueuePairNeeds, signalAll, ibv_qp_init_attr, sq_sig_all);

RINGSIDE_SIZE(verbs::Address, ibv_ah_attr);
RINGSIDE_PLACE(verbs::Address, gidIndex, ibv_ah_attr, grh.sgid_index);
RINGSIDE_PLACE(verbs::Address, hops, ibv_ah_attr, grh.hop_limit);
RINGSIDE_PLACE(verbs::Address, lid, ibv_ah_attr, dlid);
RINGSIDE_PLACE(verbs::Address, isGlobal, ibv_ah_attr, is_global);
RINGSIDE_PLACE(verbs::Address, port, ibv_ah_attr, port_num);
RINGSIDE_SIZE(verbs::QueuePairAttributes, ibv_qp_attr);
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

RINGSIDE_SIZE(verbs::Piece, ibv_sge);
RINGSIDE_PLACE(verbs::Piece, localKey, ibv_sge, lkey);
RINGSIDE_SIZE(verbs::SendRequest, ibv_send_wr);
RINGSIDE_PLACE(verbs::SendRequest, pieces, ibv_send_wr, sg_list);
RINGSIDE_PLACE(verbs::SendRequest, operation, ibv_send_wr, opcode);
RINGSIDE_PLACE(verbs::SendRequest, flags, ibv_send_wr, send_flags);
RINGSIDE_PLACE(verbs::SendRequest, remoteAddress, ibv_send_wr, wr.rdma.remote_addr);
RINGSIDE_PLACE(verbs::SendRequest, remoteKey, ibv_send_wr, wr.rdma.rkey);
RINGSIDE_SIZE(verbs::Completion, ibv_wc);
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
#endif
