// SPDX-License-Identifier: Apache-2.0
// The calling thread's device belongs to the program: whoever changes it gives it back.
#pragma once
#include "errors.h"

#include <cuda_runtime_api.h>

namespace ringside::nccl {

/// The calling thread's device, given back at the end.
class DeviceRestored final {
public:
    DeviceRestored() { checkCuda(cudaGetDevice(&m_before), "cudaGetDevice"); }
    ~DeviceRestored() { cudaSetDevice(m_before); }
    DeviceRestored(const DeviceRestored&) = delete;
    DeviceRestored& operator=(const DeviceRestored&) = delete;

private:
    int m_before = 0;
};

} // namespace ringside::nccl
