// SPDX-License-Identifier: Apache-2.0
// The part of NCCL's ABI that the collector needs. The target check_signatures compares it with nccl.h.
#pragma once
#include "abi/cuda.h"
#include "abi/nccl_newer.h"

#include <cstddef>
#include <cstdint>

extern "C" {
using ncclComm_t = struct ncclComm*;
struct ncclUniqueId {
    char internal[128];
};
struct ncclConfig_v21700;
using ncclConfig_t = ncclConfig_v21700;

enum ncclResult_t : int { ncclSuccess = 0, ncclInvalidUsage = 5, ncclInProgress = 7 };
enum ncclRedOp_t : int { ncclSum = 0 };
enum ncclDataType_t : int { ncclInt8 = 0, ncclFloat32 = 7 };
}

namespace ringside::collector::abi {

/// The first members of ncclConfig_t. The struct grows with NCCL: `size` says how long the program's is.
struct CommunicatorConfigPrefix {
    static constexpr unsigned kMagic = 0xCAFEBEEF;
    std::size_t size;
    unsigned magic;
    unsigned version;
    int blocking;
    int cgaClusterSize;
    int minCTAs;
    int maxCTAs;
    const char* netName;
    int splitShare;
    int trafficClass;
    const char* commName; ///< since NCCL 2.27
};

/// Of one call (ncclCollConfig_t since NCCL 2.31). It grows, too.
struct CallConfigPrefix {
    static constexpr int kUnset = INT32_MIN; ///< NCCL_CONFIG_UNDEF_INT
    std::size_t size;
    unsigned magic; ///< CommunicatorConfigPrefix::kMagic
    unsigned version;
    void* extensions;
    int minCTAs;
    int maxCTAs;
    int nvlsCTAs;
    int cgaClusterSize;
    const char* algSelection;
    int forceAlgSelection;
    int CTAPolicy;
    std::uint64_t userProfilerTag;
    cudaEvent_t launchCompletionEvent; ///< since NCCL 2.32
};
static_assert(offsetof(CallConfigPrefix, launchCompletionEvent) == 64);

} // namespace ringside::collector::abi
