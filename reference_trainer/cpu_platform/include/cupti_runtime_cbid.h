// SPDX-License-Identifier: Apache-2.0
// CUPTI's numbers for runtime functions (see cupti.h).
#pragma once

typedef enum CUpti_runtime_api_trace_cbid_enum {
#define X(name, number) CUPTI_RUNTIME_TRACE_CBID_##name = number,
#include "../platform/runtime_cbids.def"
#undef X
    CUPTI_RUNTIME_TRACE_CBID_FORCE_INT = 0x7fffffff
} CUpti_runtime_api_trace_cbid;
