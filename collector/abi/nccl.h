// SPDX-License-Identifier: Apache-2.0
// The little of NCCL's ABI that the collector needs; as abi/cuda.h, held against nccl.h by check_signatures.
#pragma once
#include "abi/cuda.h"

#include <cstddef>

extern "C" {
using ncclComm_t = struct ncclComm*;
struct ncclUniqueId {
    char internal[128];
};
struct ncclConfig_v21700;
using ncclConfig_t = ncclConfig_v21700;
struct ncclSimInfo_v22200;
using ncclSimInfo_t = ncclSimInfo_v22200;

enum ncclResult_t : int { ncclSuccess = 0, ncclInvalidUsage = 5, ncclInProgress = 7 };
enum ncclRedOp_t : int { ncclSum = 0 };
enum ncclDataType_t : int { ncclInt8 = 0, ncclFloat32 = 7 };
}
