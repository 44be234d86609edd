/* SPDX-License-Identifier: Apache-2.0
 * What the emulated libibverbs needs of libibverbs' header, for machines without libibverbs-dev: names,
 * numbers and layouts of rdma-core 44 on 64-bit machines. Where the real header is found first, it checks
 * every definition. */
#pragma once
#include <linux/types.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

union ibv_gid {
    uint8_t raw[16];
    struct {
        __be64 subnet_prefix;
        __be64 interface_id;
    } global;
};
enum ibv_gid_type { IBV_GID_TYPE_IB, IBV_GID_TYPE_ROCE_V1, IBV_GID_TYPE_ROCE_V2 };
struct ibv_gid_entry {
    union ibv_gid gid;
    uint32_t gid_index;
    uint32_t port_num;
    uint32_t gid_type;
    uint32_t ndev_ifindex;
};

enum ibv_node_type {
    IBV_NODE_UNKNOWN = -1,
    IBV_NODE_CA = 1,
    IBV_NODE_SWITCH,
    IBV_NODE_ROUTER,
    IBV_NODE_RNIC
};
enum ibv_transport_type { IBV_TRANSPORT_UNKNOWN = -1, IBV_TRANSPORT_IB = 0, IBV_TRANSPORT_IWARP };
enum ibv_atomic_cap { IBV_ATOMIC_NONE, IBV_ATOMIC_HCA, IBV_ATOMIC_GLOB };
enum ibv_mtu { IBV_MTU_256 = 1, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096 };
enum ibv_port_state {
    IBV_PORT_NOP,
    IBV_PORT_DOWN,
    IBV_PORT_INIT,
    IBV_PORT_ARMED,
    IBV_PORT_ACTIVE,
    IBV_PORT_ACTIVE_DEFER
};
enum { IBV_LINK_LAYER_UNSPECIFIED, IBV_LINK_LAYER_INFINIBAND, IBV_LINK_LAYER_ETHERNET };

struct ibv_device_attr {
    char fw_ver[64];
    __be64 node_guid, sys_image_guid;
    uint64_t max_mr_size, page_size_cap;
    uint32_t vendor_id, vendor_part_id, hw_ver;
    int max_qp, max_qp_wr;
    unsigned int device_cap_flags;
    int max_sge, max_sge_rd, max_cq, max_cqe, max_mr, max_pd, max_qp_rd_atom, max_ee_rd_atom, max_res_rd_atom,
        max_qp_init_rd_atom, max_ee_init_rd_atom;
    enum ibv_atomic_cap atomic_cap;
    int max_ee, max_rdd, max_mw, max_raw_ipv6_qp, max_raw_ethy_qp, max_mcast_grp, max_mcast_qp_attach,
        max_total_mcast_qp_attach, max_ah, max_fmr, max_map_per_fmr, max_srq, max_srq_wr, max_srq_sge;
    uint16_t max_pkeys;
    uint8_t local_ca_ack_delay, phys_port_cnt;
};

struct ibv_port_attr {
    enum ibv_port_state state;
    enum ibv_mtu max_mtu, active_mtu;
    int gid_tbl_len;
    uint32_t port_cap_flags, max_msg_sz, bad_pkey_cntr, qkey_viol_cntr;
    uint16_t pkey_tbl_len, lid, sm_lid;
    uint8_t lmc, max_vl_num, sm_sl, subnet_timeout, init_type_reply, active_width, active_speed, phys_state,
        link_layer, flags;
    uint16_t port_cap_flags2;
};
struct _compat_ibv_port_attr;

enum ibv_event_type {
    IBV_EVENT_CQ_ERR,
    IBV_EVENT_QP_FATAL,
    IBV_EVENT_QP_REQ_ERR,
    IBV_EVENT_QP_ACCESS_ERR,
    IBV_EVENT_COMM_EST,
    IBV_EVENT_SQ_DRAINED,
    IBV_EVENT_PATH_MIG,
    IBV_EVENT_PATH_MIG_ERR,
    IBV_EVENT_DEVICE_FATAL,
    IBV_EVENT_PORT_ACTIVE,
    IBV_EVENT_PORT_ERR,
    IBV_EVENT_LID_CHANGE,
    IBV_EVENT_PKEY_CHANGE,
    IBV_EVENT_SM_CHANGE,
    IBV_EVENT_SRQ_ERR,
    IBV_EVENT_SRQ_LIMIT_REACHED,
    IBV_EVENT_QP_LAST_WQE_REACHED,
    IBV_EVENT_CLIENT_REREGISTER,
    IBV_EVENT_GID_CHANGE,
    IBV_EVENT_WQ_FATAL
};
struct ibv_async_event {
    union {
        void* cq;
        void* qp;
        int port_num;
    } element;
    enum ibv_event_type event_type;
};

struct ibv_device {
    void* _ops[2];
    enum ibv_node_type node_type;
    enum ibv_transport_type transport_type;
    char name[64];
    char dev_name[64];
    char dev_path[256];
    char ibdev_path[256];
};
struct ibv_context {
    struct ibv_device* device;
    void* ops[32];
    int cmd_fd, async_fd, num_comp_vectors;
    pthread_mutex_t mutex;
    void* abi_compat;
};
#define __VERBS_ABI_IS_EXTENDED ((void*)UINTPTR_MAX)
struct verbs_context {
    int (*query_port)(struct ibv_context* context, uint8_t port_num, struct ibv_port_attr* port_attr,
                      size_t port_attr_len);
    void* others[38];
    size_t sz;
    struct ibv_context context;
};

struct ibv_device** ibv_get_device_list(int* num_devices);
void ibv_free_device_list(struct ibv_device** list);
const char* ibv_get_device_name(struct ibv_device* device);
__be64 ibv_get_device_guid(struct ibv_device* device);
struct ibv_context* ibv_open_device(struct ibv_device* device);
int ibv_close_device(struct ibv_context* context);
int ibv_query_device(struct ibv_context* context, struct ibv_device_attr* device_attr);
int ibv_query_port(struct ibv_context* context, uint8_t port_num, struct _compat_ibv_port_attr* port_attr);
int ibv_query_gid(struct ibv_context* context, uint8_t port_num, int index, union ibv_gid* gid);
int _ibv_query_gid_ex(struct ibv_context* context, uint32_t port_num, uint32_t gid_index,
                      struct ibv_gid_entry* entry, uint32_t flags, size_t entry_size);
ssize_t _ibv_query_gid_table(struct ibv_context* context, struct ibv_gid_entry* entries, size_t max_entries,
                             uint32_t flags, size_t entry_size);
int ibv_get_async_event(struct ibv_context* context, struct ibv_async_event* event);
void ibv_ack_async_event(struct ibv_async_event* event);
const char* ibv_node_type_str(enum ibv_node_type node_type);
const char* ibv_port_state_str(enum ibv_port_state port_state);
const char* ibv_event_type_str(enum ibv_event_type event);
int ibv_fork_init(void);

#ifdef __cplusplus
}
static_assert(sizeof(ibv_context) == 328 && sizeof(verbs_context) == 648 && sizeof(ibv_port_attr) == 52 &&
                  sizeof(ibv_device_attr) == 232 && sizeof(ibv_device) == 664,
              "as in rdma-core 44");
#endif
