// SPDX-License-Identifier: Apache-2.0
#include "properties.h"

#include "device_name.h"
#include "memory.h"
#include "model.h"

#include <algorithm>
#include <cstdio>

namespace ringside::platform {
namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxGridX = 2147483647;
constexpr int kMaxGridYZ = 65535;
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kBlocksPerMultiprocessor = 32;
constexpr int kRegisters = 65536;
constexpr std::size_t kSharedPerMultiprocessor = 228 << 10;
constexpr std::size_t kSharedReserved = 1 << 10; // bytes that the system reserves in every block
constexpr std::size_t kSharedOptin = kSharedPerMultiprocessor - kSharedReserved;
constexpr int kBusWidthBits = 5120;
constexpr int kClockKhz = 1'410'000; // only reported: nothing here runs at this clock

// Returns the clock at which a bus of this width, with two transfers per clock, has the model's bandwidth.
int memoryClockKhz()
{
    constexpr double kBytesAClock = 2.0 * kBusWidthBits / 8;
    return static_cast<int>(DeviceModel::get().number("memory_bandwidth", 0) / kBytesAClock / 1e3);
}

struct NumberOf {
    cudaDeviceAttr attribute;
    int (*of)(const cudaDeviceProp& device);
};

// In the order of the attributes' numbers. All other attributes are features that the emulated device lacks:
// 0.
constexpr NumberOf kNumbers[] = {
    {cudaDevAttrMaxThreadsPerBlock, [](const cudaDeviceProp& d) { return d.maxThreadsPerBlock; }},
    {cudaDevAttrMaxBlockDimX, [](const cudaDeviceProp& d) { return d.maxThreadsDim[0]; }},
    {cudaDevAttrMaxBlockDimY, [](const cudaDeviceProp& d) { return d.maxThreadsDim[1]; }},
    {cudaDevAttrMaxBlockDimZ, [](const cudaDeviceProp& d) { return d.maxThreadsDim[2]; }},
    {cudaDevAttrMaxGridDimX, [](const cudaDeviceProp& d) { return d.maxGridSize[0]; }},
    {cudaDevAttrMaxGridDimY, [](const cudaDeviceProp& d) { return d.maxGridSize[1]; }},
    {cudaDevAttrMaxGridDimZ, [](const cudaDeviceProp& d) { return d.maxGridSize[2]; }},
    {cudaDevAttrMaxSharedMemoryPerBlock,
     [](const cudaDeviceProp& d) { return static_cast<int>(d.sharedMemPerBlock); }},
    {cudaDevAttrTotalConstantMemory,
     [](const cudaDeviceProp& d) { return static_cast<int>(d.totalConstMem); }},
    {cudaDevAttrWarpSize, [](const cudaDeviceProp& d) { return d.warpSize; }},
    {cudaDevAttrMaxPitch, [](const cudaDeviceProp& d) { return static_cast<int>(d.memPitch); }},
    {cudaDevAttrMaxRegistersPerBlock, [](const cudaDeviceProp& d) { return d.regsPerBlock; }},
    {cudaDevAttrClockRate, [](const cudaDeviceProp&) { return kClockKhz; }},
    {cudaDevAttrTextureAlignment,
     [](const cudaDeviceProp& d) { return static_cast<int>(d.textureAlignment); }},
    {cudaDevAttrGpuOverlap, [](const cudaDeviceProp&) { return 1; }},
    {cudaDevAttrMultiProcessorCount, [](const cudaDeviceProp& d) { return d.multiProcessorCount; }},
    {cudaDevAttrCanMapHostMemory, [](const cudaDeviceProp& d) { return d.canMapHostMemory; }},
    {cudaDevAttrConcurrentKernels, [](const cudaDeviceProp& d) { return d.concurrentKernels; }},
    {cudaDevAttrPciBusId, [](const cudaDeviceProp& d) { return d.pciBusID; }},
    {cudaDevAttrMemoryClockRate, [](const cudaDeviceProp&) { return memoryClockKhz(); }},
    {cudaDevAttrGlobalMemoryBusWidth, [](const cudaDeviceProp& d) { return d.memoryBusWidth; }},
    {cudaDevAttrL2CacheSize, [](const cudaDeviceProp& d) { return d.l2CacheSize; }},
    {cudaDevAttrMaxThreadsPerMultiProcessor,
     [](const cudaDeviceProp& d) { return d.maxThreadsPerMultiProcessor; }},
    {cudaDevAttrAsyncEngineCount, [](const cudaDeviceProp& d) { return d.asyncEngineCount; }},
    {cudaDevAttrUnifiedAddressing, [](const cudaDeviceProp& d) { return d.unifiedAddressing; }},
    {cudaDevAttrTexturePitchAlignment,
     [](const cudaDeviceProp& d) { return static_cast<int>(d.texturePitchAlignment); }},
    {cudaDevAttrComputeCapabilityMajor, [](const cudaDeviceProp& d) { return d.major; }},
    {cudaDevAttrComputeCapabilityMinor, [](const cudaDeviceProp& d) { return d.minor; }},
    {cudaDevAttrStreamPrioritiesSupported,
     [](const cudaDeviceProp& d) { return d.streamPrioritiesSupported; }},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor,
     [](const cudaDeviceProp& d) { return static_cast<int>(d.sharedMemPerMultiprocessor); }},
    {cudaDevAttrMaxRegistersPerMultiprocessor,
     [](const cudaDeviceProp& d) { return d.regsPerMultiprocessor; }},
    {cudaDevAttrManagedMemory, [](const cudaDeviceProp& d) { return d.managedMemory; }},
    {cudaDevAttrConcurrentManagedAccess, [](const cudaDeviceProp& d) { return d.concurrentManagedAccess; }},
    {cudaDevAttrCanUseHostPointerForRegisteredMem,
     [](const cudaDeviceProp& d) { return d.canUseHostPointerForRegisteredMem; }},
    {cudaDevAttrCooperativeLaunch, [](const cudaDeviceProp& d) { return d.cooperativeLaunch; }},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin,
     [](const cudaDeviceProp& d) { return static_cast<int>(d.sharedMemPerBlockOptin); }},
    {cudaDevAttrHostRegisterSupported, [](const cudaDeviceProp& d) { return d.hostRegisterSupported; }},
    {cudaDevAttrMaxBlocksPerMultiprocessor,
     [](const cudaDeviceProp& d) { return d.maxBlocksPerMultiProcessor; }},
    {cudaDevAttrReservedSharedMemoryPerBlock,
     [](const cudaDeviceProp& d) { return static_cast<int>(d.reservedSharedMemPerBlock); }},
    {cudaDevAttrHostRegisterReadOnlySupported,
     [](const cudaDeviceProp& d) { return d.hostRegisterReadOnlySupported; }},
    {cudaDevAttrMemoryPoolsSupported, [](const cudaDeviceProp& d) { return d.memoryPoolsSupported; }},
};

void describeMemory(cudaDeviceProp& properties)
{
    properties.totalGlobalMem = totalMemory();
    properties.memPitch = kMaxGridX; // no row that can be allocated is longer
    properties.totalConstMem = 64 << 10;
    properties.textureAlignment = 512;
    properties.texturePitchAlignment = 32;
    properties.memoryBusWidth = kBusWidthBits;
    properties.l2CacheSize = 40 << 20;
    properties.unifiedAddressing = 1;
    properties.canMapHostMemory = 1;
    properties.managedMemory = 1;
    properties.concurrentManagedAccess = 1;
    properties.canUseHostPointerForRegisteredMem = 1;
    properties.hostRegisterSupported = 1;
    properties.hostRegisterReadOnlySupported = 1;
    properties.memoryPoolsSupported = 1;
}

void describeMultiprocessors(cudaDeviceProp& properties)
{
    properties.multiProcessorCount = static_cast<int>(DeviceModel::get().number("multiprocessors", 1));
    properties.maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
    properties.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
    properties.regsPerBlock = kRegisters;
    properties.regsPerMultiprocessor = kRegisters;
    properties.sharedMemPerBlock = kDefaultSharedPerBlock;
    properties.sharedMemPerBlockOptin = kSharedOptin;
    properties.sharedMemPerMultiprocessor = kSharedPerMultiprocessor;
    properties.reservedSharedMemPerBlock = kSharedReserved;
    properties.warpSize = kWarpSize;
    properties.maxThreadsPerBlock = kMaxThreadsPerBlock;
    const int threads[] = {kMaxThreadsPerBlock, kMaxThreadsPerBlock, 64};
    std::copy(std::begin(threads), std::end(threads), properties.maxThreadsDim);
    const int grid[] = {kMaxGridX, kMaxGridYZ, kMaxGridYZ};
    std::copy(std::begin(grid), std::end(grid), properties.maxGridSize);
}

} // namespace

cudaDeviceProp describe(int device)
{
    cudaDeviceProp properties{};
    std::snprintf(properties.name, sizeof properties.name, "%s", deviceName());
    std::snprintf(properties.uuid.bytes, sizeof properties.uuid.bytes, "ringside-cpu-%02d", device);
    describeMemory(properties);
    describeMultiprocessors(properties);
    properties.major = 9; // the first generation with fp8: programs check this before they use it
    properties.minor = 0;
    properties.concurrentKernels = 1;
    properties.asyncEngineCount = 2;
    properties.streamPrioritiesSupported = 1;
    properties.cooperativeLaunch = 1;
    properties.pciBusID = kFirstBus + device;
    return properties;
}

cudaError_t attributeOf(const cudaDeviceProp& device, cudaDeviceAttr attribute, int& value)
{
    if (attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
        return cudaErrorInvalidValue;
    const auto* found = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                     [attribute](const NumberOf& row) { return row.attribute == attribute; });
    value = found == std::end(kNumbers) ? 0 : found->of(device);
    return cudaSuccess;
}

int residentBlocks(int blockSize, std::size_t sharedBytes)
{
    if (blockSize > kMaxThreadsPerBlock || sharedBytes > kSharedOptin)
        return 0;
    const int threads = (blockSize + kWarpSize - 1) / kWarpSize * kWarpSize;
    const auto byShared = static_cast<int>(kSharedPerMultiprocessor / (sharedBytes + kSharedReserved));
    return std::min({kBlocksPerMultiprocessor, kThreadsPerMultiprocessor / threads, byShared});
}

} // namespace ringside::platform
