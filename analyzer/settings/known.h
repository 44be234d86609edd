// SPDX-License-Identifier: Apache-2.0
// Tables of known environment variables: ranges of numbers, deprecated names, and switches of fast paths.
// From NCCL's user guide (environment variables, 2.19 to 2.30) and PyTorch's documentation of
// ProcessGroupNCCL.
#pragma once
#include <cstdint>
#include <string_view>

namespace ringside::settings {

/// A numeric variable and the range that NCCL accepts.
struct Range {
    std::string_view name;
    std::int64_t least;
    std::int64_t most;
};
inline constexpr Range kRanges[] = {
    {"NCCL_CROSS_NIC", 0, 2},
    {"NCCL_CUMEM_ENABLE", -2, 1},
    {"NCCL_DMABUF_ENABLE", 0, 1},
    {"NCCL_IB_ADAPTIVE_ROUTING", 0, 1},
    {"NCCL_IB_DISABLE", 0, 1},
    {"NCCL_IB_FIFO_TC", 0, 255},
    {"NCCL_IB_GID_INDEX", -1, 255},
    {"NCCL_IB_MERGE_NICS", 0, 1},
    {"NCCL_IB_PCI_RELAXED_ORDERING", 0, 2},
    {"NCCL_IB_PKEY", 0, 65535},
    {"NCCL_IB_QPS_PER_CONNECTION", 1, 128},
    {"NCCL_IB_RETRY_CNT", 0, 7},
    {"NCCL_IB_SL", 0, 15}, // four bits of InfiniBand's header
    {"NCCL_IB_SPLIT_DATA_ON_QPS", 0, 1},
    {"NCCL_IB_TC", 0, 255}, // a byte of the IP header
    {"NCCL_IB_TIMEOUT", 0, 31},
    {"NCCL_NET_GDR_READ", 0, 1},
    {"NCCL_NSOCKS_PERTHREAD", 1, 64},
    {"NCCL_NVLS_ENABLE", 0, 2},
    {"NCCL_P2P_DISABLE", 0, 1},
    {"NCCL_PXN_DISABLE", 0, 1},
    {"NCCL_SHM_DISABLE", 0, 1},
    {"NCCL_SOCKET_NTHREADS", 1, 16},
    {"NCCL_BUFFSIZE", 4 << 20, 32 << 20},
    {"NCCL_LL_BUFFSIZE", 1, 1 << 30},
    {"NCCL_LL128_BUFFSIZE", 1, 1 << 30},
    {"TORCH_NCCL_ASYNC_ERROR_HANDLING", 0, 3},
};

/// A variable whose value is one of some words, or a list of them.
struct Words {
    std::string_view name;
    std::string_view words; ///< apart by blanks, in capitals
    bool list;              ///< several may stand there, apart by commas, `^` before them
    bool level;             ///< a number is one, too
};
inline constexpr Words kWords[] = {
    {"NCCL_NET_GDR_LEVEL", "LOC NVL NVB C2C PIX PXB P2C PXN PHB SYS", false, true},
    {"NCCL_P2P_LEVEL", "LOC NVL NVB C2C PIX PXB P2C PXN PHB SYS", false, true},
    {"NCCL_SOCKET_FAMILY", "AF_INET AF_INET6", false, false},
    {"NCCL_DEBUG_SUBSYS",
     "INIT COLL P2P SHM NET GRAPH TUNING ENV ALLOC CALL PROXY NVLS BOOTSTRAP REG PROFILE RAS ALL", true,
     false},
    {"TORCH_DISTRIBUTED_DEBUG", "OFF INFO DETAIL", false, false},
};

/// Names that users mistype: those that the checks above and the guides tell most of.
inline constexpr std::string_view kNames[] = {
    "NCCL_ALGO",
    "NCCL_BUFFSIZE",
    "NCCL_CROSS_NIC",
    "NCCL_CUMEM_ENABLE",
    "NCCL_DEBUG",
    "NCCL_DEBUG_FILE",
    "NCCL_DEBUG_SUBSYS",
    "NCCL_IB_ADAPTIVE_ROUTING",
    "NCCL_IB_DISABLE",
    "NCCL_IB_GID_INDEX",
    "NCCL_IB_HCA",
    "NCCL_IB_MERGE_NICS",
    "NCCL_IB_PCI_RELAXED_ORDERING",
    "NCCL_IB_QPS_PER_CONNECTION",
    "NCCL_IB_RETRY_CNT",
    "NCCL_IB_SL",
    "NCCL_IB_TC",
    "NCCL_IB_TIMEOUT",
    "NCCL_MAX_CTAS",
    "NCCL_MIN_CTAS",
    "NCCL_NET",
    "NCCL_NET_GDR_LEVEL",
    "NCCL_NET_GDR_READ",
    "NCCL_NET_PLUGIN",
    "NCCL_NSOCKS_PERTHREAD",
    "NCCL_NTHREADS",
    "NCCL_NVLS_ENABLE",
    "NCCL_P2P_DISABLE",
    "NCCL_P2P_LEVEL",
    "NCCL_PROTO",
    "NCCL_PXN_DISABLE",
    "NCCL_SHM_DISABLE",
    "NCCL_SOCKET_FAMILY",
    "NCCL_SOCKET_IFNAME",
    "NCCL_SOCKET_NTHREADS",
    "NCCL_TOPO_FILE",
    "TORCH_DISTRIBUTED_DEBUG",
    "TORCH_NCCL_ASYNC_ERROR_HANDLING",
    "TORCH_NCCL_AVOID_RECORD_STREAMS",
    "TORCH_NCCL_BLOCKING_WAIT",
    "TORCH_NCCL_CUDA_EVENT_CACHE",
    "TORCH_NCCL_DESYNC_DEBUG",
    "TORCH_NCCL_DUMP_ON_TIMEOUT",
    "TORCH_NCCL_ENABLE_MONITORING",
    "TORCH_NCCL_ENABLE_TIMING",
    "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC",
    "TORCH_NCCL_HIGH_PRIORITY",
    "TORCH_NCCL_TRACE_BUFFER_SIZE",
    "TORCH_NCCL_DEBUG_INFO_TEMP_FILE",
    "TORCH_NCCL_DEBUG_INFO_PIPE_FILE",
    "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC",
    "TORCH_NCCL_COORD_CHECK_MILSEC",
    "TORCH_NCCL_NAN_CHECK",
    "TORCH_NCCL_RETHROW_CUDA_ERRORS",
    "TORCH_NCCL_PROPAGATE_ERROR",
    "TORCH_NCCL_SHOW_EAGER_INIT_P2P_SERIALIZATION_WARNING",
    "TORCH_NCCL_USE_COMM_NONBLOCKING",
    "TORCH_NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK",
    "TORCH_NCCL_LOG_CPP_STACK_ON_UNCLEAN_SHUTDOWN",
    "TORCH_NCCL_EXTRA_DUMP_ON_EXEC",
    "TORCH_NCCL_TRACE_CPP_STACK",
    "TORCH_NCCL_BCAST_UNIQUEID",
    "TORCH_NCCL_RANKS_PER_ROOT",
    "TORCH_NCCL_NONBLOCKING_TIMEOUT",
};

/// A variable whose name is deprecated, and the variable that replaces it.
struct OldName {
    std::string_view name;
    /// First NCCL version with the new name, as ncclGetVersion encodes it; 0 for any version.
    std::int64_t since;
    std::string_view instead;
};
inline constexpr OldName kOldNames[] = {
    {"NCCL_MIN_NCHANNELS", 21700, "NCCL_MIN_CTAS"},
    {"NCCL_MAX_NCHANNELS", 21700, "NCCL_MAX_CTAS"},
    {"NCCL_MIN_NRINGS", 2500, "NCCL_MIN_CTAS"},
    {"NCCL_MAX_NRINGS", 2500, "NCCL_MAX_CTAS"},
    {"NCCL_TREE_THRESHOLD", 2500, "NCCL_ALGO"},
    {"NCCL_IB_CUDA_SUPPORT", 2400, "NCCL_NET_GDR_LEVEL"},
    {"NCCL_CHECKS_DISABLE", 2212, "NCCL_CHECK_POINTERS"},
    {"NCCL_ASYNC_ERROR_HANDLING", 0, "TORCH_NCCL_ASYNC_ERROR_HANDLING"},
    {"NCCL_BLOCKING_WAIT", 0, "TORCH_NCCL_BLOCKING_WAIT"},
    {"NCCL_DESYNC_DEBUG", 0, "TORCH_NCCL_DESYNC_DEBUG"},
    {"NCCL_ENABLE_TIMING", 0, "TORCH_NCCL_ENABLE_TIMING"},
};

/// A variable that disables a fast path if it is 1.
struct FastPath {
    std::string_view name;
    std::string_view what; ///< what the variable disables
};
inline constexpr FastPath kFastPaths[] = {
    {"NCCL_P2P_DISABLE", "direct transfers between the GPUs of a host (NVLink, PCIe)"},
    {"NCCL_SHM_DISABLE", "shared memory between ranks of a host"},
    {"NCCL_IB_DISABLE", "InfiniBand and RoCE"},
};

} // namespace ringside::settings
