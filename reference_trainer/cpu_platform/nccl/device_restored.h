// SPDX-License-Identifier: Apache-2.0
// Restores the calling thread's device, because the program owns it.
#pragma once
#include "errors.h"

#include <cuda_runtime_api.h>

namespace ringside::nccl {

/// Stores the calling thread's device and restores it in its destructor.
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
