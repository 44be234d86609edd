// SPDX-License-Identifier: Apache-2.0
// Wrappers of the CUDA runtime. The real symbols are versioned (libcudart.so.N); unversioned definitions
// take precedence over them.
#include "calls/graphs.h"
#include "calls/wrapper.h"

#define RS_API(result, name, parameters, arguments, what)                                                    \
    RINGSIDE_WRAPPER(CudaRuntime, cudaErrorNotSupported, result, name, parameters, arguments, what)
#include "api/cuda_runtime_api.def"
#undef RS_API
