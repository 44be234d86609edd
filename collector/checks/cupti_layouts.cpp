// SPDX-License-Identifier: Apache-2.0
// Compares our prefixes of CUPTI's records, NVTX's structs and cudaDeviceProp, member by member, with
// the installed headers.
#include "abi/cupti.h"
#include "abi/nvtx.h"

#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include <array>
#include <cstddef>

using namespace ringside::collector;

#define RINGSIDE_EQUAL(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))
#define RINGSIDE_SAME(ours, theirs, member) static_assert(offsetof(ours, member) == offsetof(theirs, member))

// Compares the parameters of the wrapped functions by size, because our types have other names.
template <class>
struct Sizes;
template <class Result, class... Parameters>
struct Sizes<Result(Parameters...)> {
    // NOLINTBEGIN(bugprone-sizeof-expression): pointers are meant
    static constexpr std::array<std::size_t, 1 + sizeof...(Parameters)> kOf{sizeof(Result),
                                                                            sizeof(Parameters)...};
    // NOLINTEND(bugprone-sizeof-expression)
};
// NOLINTNEXTLINE(bugprone-macro-parentheses): a type
#define RS_CUPTI(name, parameters) static_assert(Sizes<int parameters>::kOf == Sizes<decltype(name)>::kOf);
RINGSIDE_CUPTI_INTERCEPTED(RS_CUPTI)
#if CUPTI_API_VERSION >= 130200
RINGSIDE_CUPTI_INTERCEPTED_FROM_13_2(RS_CUPTI)
#endif
#undef RS_CUPTI

// Newer records begin like older ones, so each is read as a Kernel.
#define RINGSIDE_KERNEL(theirs)                                                                              \
    RINGSIDE_SAME(cupti::Kernel, theirs, start);                                                             \
    RINGSIDE_SAME(cupti::Kernel, theirs, end);                                                               \
    RINGSIDE_SAME(cupti::Kernel, theirs, deviceId);                                                          \
    RINGSIDE_SAME(cupti::Kernel, theirs, contextId);                                                         \
    RINGSIDE_SAME(cupti::Kernel, theirs, streamId);                                                          \
    RINGSIDE_SAME(cupti::Kernel, theirs, correlationId);                                                     \
    RINGSIDE_SAME(cupti::Kernel, theirs, registersPerThread);                                                \
    RINGSIDE_SAME(cupti::Kernel, theirs, staticSharedMemory);                                                \
    RINGSIDE_SAME(cupti::Kernel, theirs, dynamicSharedMemory);                                               \
    RINGSIDE_SAME(cupti::Kernel, theirs, name);                                                              \
    RINGSIDE_SAME(cupti::Kernel, theirs, graphNodeId);                                                       \
    RINGSIDE_SAME(cupti::Kernel, theirs, graphId);                                                           \
    static_assert(offsetof(cupti::Kernel, grid) == offsetof(theirs, gridX));                                 \
    static_assert(offsetof(cupti::Kernel, block) == offsetof(theirs, blockX))
RINGSIDE_KERNEL(CUpti_ActivityKernel9);
RINGSIDE_KERNEL(CUpti_ActivityKernel10);
#if CUPTI_API_VERSION >= 130100
RINGSIDE_KERNEL(CUpti_ActivityKernel11);
#endif
#if CUPTI_API_VERSION >= 130400
RINGSIDE_KERNEL(CUpti_ActivityKernel12);
RINGSIDE_KERNEL(CUpti_ActivityKernel13);
#endif
static_assert(offsetof(cupti::Kernel, grid) == offsetof(CUpti_ActivityKernel5, gridX)); // the oldest read
static_assert(offsetof(cupti::Kernel, block) == offsetof(CUpti_ActivityKernel5, blockX));
RINGSIDE_SAME(cupti::Kernel, CUpti_ActivityKernel5, registersPerThread);
RINGSIDE_SAME(cupti::Kernel, CUpti_ActivityKernel5, staticSharedMemory);
RINGSIDE_SAME(cupti::Kernel, CUpti_ActivityKernel5, dynamicSharedMemory);
RINGSIDE_SAME(cupti::Kernel, CUpti_ActivityKernel5, graphNodeId); // the first with it, as below
RINGSIDE_SAME(cupti::Kernel, CUpti_ActivityKernel6, graphId);
static_assert(sizeof(cupti::Kernel) <= sizeof(CUpti_ActivityKernel5));
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy6, copyKind);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy6, bytes);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy6, start);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy6, end);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy6, deviceId);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy6, streamId);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy6, correlationId);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy6, graphNodeId);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy6, graphId);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy3, graphNodeId);
RINGSIDE_SAME(cupti::Memcpy, CUpti_ActivityMemcpy4, graphId);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP4, copyKind);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP4, bytes);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP4, start);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP4, end);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP4, deviceId);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP4, streamId);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP4, correlationId);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP4, graphNodeId);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP4, graphId);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP2, graphNodeId);
RINGSIDE_SAME(cupti::PeerMemcpy, CUpti_ActivityMemcpyPtoP3, graphId);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset4, bytes);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset4, start);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset4, end);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset4, deviceId);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset4, streamId);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset4, correlationId);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset4, graphNodeId);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset4, graphId);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset2, graphNodeId);
RINGSIDE_SAME(cupti::Memset, CUpti_ActivityMemset3, graphId);
RINGSIDE_SAME(cupti::Api, CUpti_ActivityAPI, cbid);
RINGSIDE_SAME(cupti::Api, CUpti_ActivityAPI, start);
RINGSIDE_SAME(cupti::Api, CUpti_ActivityAPI, end);
RINGSIDE_SAME(cupti::Api, CUpti_ActivityAPI, threadId);
RINGSIDE_SAME(cupti::Api, CUpti_ActivityAPI, correlationId);
RINGSIDE_SAME(cupti::ExternalCorrelation, CUpti_ActivityExternalCorrelation, externalKind);
RINGSIDE_SAME(cupti::ExternalCorrelation, CUpti_ActivityExternalCorrelation, externalId);
RINGSIDE_SAME(cupti::ExternalCorrelation, CUpti_ActivityExternalCorrelation, correlationId);
RINGSIDE_SAME(nvtx::EventAttributes, nvtxEventAttributes_t, category);
RINGSIDE_SAME(nvtx::EventAttributes, nvtxEventAttributes_t, messageType);
RINGSIDE_SAME(nvtx::EventAttributes, nvtxEventAttributes_t, message);

#if CUPTI_API_VERSION >= 130000
// It grows with CUDA (13.2: allowMultipleSubscribers), and tells its size itself.
static_assert(sizeof(cupti::SubscriberParameters) <= sizeof(CUpti_SubscriberParams));
static_assert(offsetof(cupti::SubscriberParameters, name) ==
              offsetof(CUpti_SubscriberParams, subscriberName));
static_assert(offsetof(cupti::SubscriberParameters, holder) ==
              offsetof(CUpti_SubscriberParams, oldSubscriberName));
RINGSIDE_EQUAL(cupti::kHolderNameBytes, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN);
#endif

RINGSIDE_EQUAL(cupti::kKindMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
RINGSIDE_EQUAL(cupti::kKindPeerMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY2);
RINGSIDE_EQUAL(cupti::kKindMemset, CUPTI_ACTIVITY_KIND_MEMSET);
RINGSIDE_EQUAL(cupti::kKindDriver, CUPTI_ACTIVITY_KIND_DRIVER);
RINGSIDE_EQUAL(cupti::kKindRuntime, CUPTI_ACTIVITY_KIND_RUNTIME);
RINGSIDE_EQUAL(cupti::kKindConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
RINGSIDE_EQUAL(cupti::kKindExternalCorrelation, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
RINGSIDE_EQUAL(cupti::kExternalKindCustom2, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2);
RINGSIDE_EQUAL(cupti::kThreadIdsOfSystem, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
RINGSIDE_EQUAL(cupti::kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
RINGSIDE_EQUAL(cupti::kMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
RINGSIDE_EQUAL(cupti::kDomainRuntimeApi, CUPTI_CB_DOMAIN_RUNTIME_API);
RINGSIDE_EQUAL(cupti::kDomainDriverApi, CUPTI_CB_DOMAIN_DRIVER_API);
