// SPDX-License-Identifier: Apache-2.0
// Declares every intercepted NCCL function again after the vendor's header. A row that differs does not
// compile.
#include <nccl.h>
// clang-format off: after the header that it asks for its version
#include "abi/nccl_newer.h"
// clang-format on

#define RS_API(result, name, parameters, arguments, what) extern "C" result name parameters;
#include "api/nccl_api.def"
#undef RS_API

static_assert(sizeof(ncclUniqueId) == 128 && ncclInvalidUsage == 5 && ncclInProgress == 7 &&
              ncclFloat32 == 7);
static_assert(sizeof(ncclWaitSignalDesc_t) == 16 && offsetof(ncclWaitSignalDesc_t, peer) == 4);
// CommunicatorConfigPrefix of abi/nccl.h, which cannot be included beside nccl.h.
constexpr ncclConfig_t kConfig = NCCL_CONFIG_INITIALIZER;
static_assert(kConfig.size == sizeof(ncclConfig_t) && kConfig.magic == 0xCAFEBEEF &&
              offsetof(ncclConfig_t, magic) == 8 && offsetof(ncclConfig_t, netName) == 32);
#if RINGSIDE_NCCL_VERSION >= 22700
static_assert(offsetof(ncclConfig_t, commName) == 48);
#endif
#if RINGSIDE_NCCL_VERSION >= 23100
// CallConfigPrefix, likewise.
static_assert(offsetof(ncclCollConfig_t, minCTAs) == 24 && offsetof(ncclCollConfig_t, algSelection) == 40 &&
              offsetof(ncclCollConfig_t, CTAPolicy) == 52 &&
              offsetof(ncclCollConfig_t, userProfilerTag) == 56);
#endif
#if RINGSIDE_NCCL_VERSION >= 23200
static_assert(offsetof(ncclCollConfig_t, launchCompletionEvent) == 64);
#endif
