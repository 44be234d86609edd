// SPDX-License-Identifier: Apache-2.0
// Kernels for the platform's tests, registered as nvcc's code registers its own.
#pragma once
#include <cuda_runtime.h>

namespace ringside::test {

/// values[i] *= factor, at 1000 operations an element in the device model.
[[nodiscard]] const void* scaleKernel();
/// Registered, but without a host version.
[[nodiscard]] const void* missingKernel();
cudaError_t launchScale(float* values, float factor, int count, cudaStream_t stream);

} // namespace ringside::test
