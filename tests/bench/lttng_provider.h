// SPDX-License-Identifier: Apache-2.0
// Two LTTng events, the begin and the end of a call: what recording a call costs with a general tracer.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ringside_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_provider.h"

#if !defined(RINGSIDE_BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define RINGSIDE_BENCH_LTTNG_PROVIDER_H
#include <lttng/tracepoint.h>

// clang-format off
LTTNG_UST_TRACEPOINT_EVENT(ringside_bench, call_begin,
    LTTNG_UST_TP_ARGS(unsigned int, api),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned int, api, api)))
LTTNG_UST_TRACEPOINT_EVENT(ringside_bench, call_end,
    LTTNG_UST_TP_ARGS(int, result),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, result, result)))
// clang-format on
#endif

#include <lttng/tracepoint-event.h>
