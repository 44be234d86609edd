// SPDX-License-Identifier: Apache-2.0
// Types that NCCL got after 2.19, as far as the installed nccl.h does not have them. So the whole table
// of functions can be compared with any nccl.h. Include it after nccl.h.
#pragma once
#include <cstddef>

#ifdef NCCL_VERSION_CODE
#define RINGSIDE_NCCL_VERSION NCCL_VERSION_CODE
#else
#define RINGSIDE_NCCL_VERSION 0
#endif

extern "C" {
#if RINGSIDE_NCCL_VERSION < 22200
struct ncclSimInfo_v22200;
using ncclSimInfo_t = ncclSimInfo_v22200;
#endif
#if RINGSIDE_NCCL_VERSION < 22700
using ncclWindow_t = struct ncclWindow_vidmem*;
#endif
#if RINGSIDE_NCCL_VERSION < 22900
struct ncclWaitSignalDesc_t {
    int opCnt;
    int peer;
    int sigIdx;
    int ctx;
};
#endif
#if RINGSIDE_NCCL_VERSION < 23100
struct ncclCollConfig_v23100;
using ncclCollConfig_t = ncclCollConfig_v23100;
#endif
}
