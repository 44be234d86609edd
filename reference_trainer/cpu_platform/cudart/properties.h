// SPDX-License-Identifier: Apache-2.0
// The properties of the emulated device: one description, from which properties, attributes and occupancy
// follow. Limits are those of compute capability 9.0 in CUDA's table of technical specifications; amounts
// come from the device model; features that are not emulated are 0.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

namespace ringside::platform {

inline constexpr int kMaxThreadsPerBlock = 1024;
inline constexpr std::size_t kDefaultSharedPerBlock = 48 << 10; ///< a kernel must opt in to more
inline constexpr int kFirstBus = 0x10;                          ///< PCI bus of device 0

[[nodiscard]] cudaDeviceProp describe(int device);
/// Returns cudaErrorInvalidValue for a number that is no attribute.
[[nodiscard]] cudaError_t attributeOf(const cudaDeviceProp& device, cudaDeviceAttr attribute, int& value);
/// Returns how many blocks fit into one multiprocessor at a time.
[[nodiscard]] int residentBlocks(int blockSize, std::size_t sharedBytes);

} // namespace ringside::platform
