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
    {"NCCL_IB_DISABLE", 0, 1},
    {"NCCL_IB_QPS_PER_CONNECTION", 1, 128},
    {"NCCL_IB_RETRY_CNT", 0, 7},
    {"NCCL_IB_SPLIT_DATA_ON_QPS", 0, 1},
    {"NCCL_IB_TIMEOUT", 0, 31},
    {"NCCL_NSOCKS_PERTHREAD", 1, 64},
    {"NCCL_NVLS_ENABLE", 0, 2},
    {"NCCL_P2P_DISABLE", 0, 1},
    {"NCCL_PXN_DISABLE", 0, 1},
    {"NCCL_SHM_DISABLE", 0, 1},
    {"NCCL_SOCKET_NTHREADS", 1, 16},
    {"NCCL_BUFFSIZE", 4 << 20, 32 << 20},
    {"NCCL_LL_BUFFSIZE", 1, 1 << 30},
    {"NCCL_LL128_BUFFSIZE", 1, 1 << 30},
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
