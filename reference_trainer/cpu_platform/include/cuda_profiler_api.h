// SPDX-License-Identifier: Apache-2.0
// Where programs tell a profiler to start and to stop, for builds without the toolkit.
#pragma once
#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
#ifdef __cplusplus
}
#endif
