// SPDX-License-Identifier: Apache-2.0
// Declares every intercepted CUDA function once more beside the vendor's header: a row that differs does not
// compile.
#include <cuda_runtime_api.h>

#define RS_API(result, name, parameters, arguments, what) extern "C" result name parameters;
#include "api/cuda_runtime_api.def"
#undef RS_API
