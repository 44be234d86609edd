// SPDX-License-Identifier: Apache-2.0
// Declares every intercepted CUDA function again after the vendor's header. A row that differs does not
// compile.
#include <cuda_runtime_api.h>

// clang-format off: after the header that it looks at
#include "abi/cuda_layouts.h"
// clang-format on

// Rows whose parameters differ between CUDA versions match no header's declaration.
#undef cudaMemPrefetchAsync
#define cudaMemPrefetchAsync widerMemPrefetchAsync
#define cudaMemPrefetchAsync_ptsz widerMemPrefetchAsync_ptsz
#define cudaGraphInstantiate widerGraphInstantiate
#define cudaGraphExecUpdate widerGraphExecUpdate

#define RS_API(result, name, parameters, arguments, what) extern "C" result name parameters;
#include "api/cuda_runtime_api.def"
#undef RS_API
