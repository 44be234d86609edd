// SPDX-License-Identifier: Apache-2.0
// Attributes of kernels before their launch. Device code is not read: registers and similar figures are those
// of a small kernel.
#include "api.h"
#include "kernels.h"
#include "properties.h"

using namespace ringside::platform;

namespace {

constexpr int kNoCarveout = -1;

// Runs `body` with a registered kernel.
template <class Body>
cudaError_t withKernel(const void* function, Body&& body)
{
    const Kernel* kernel = findKernel(function);
    return kernel == nullptr ? cudaErrorInvalidDeviceFunction : body(*kernel);
}

cudaError_t occupancy(int* blocks, const void* function, int blockSize, std::size_t sharedBytes)
{
    if (blocks == nullptr || blockSize <= 0)
        return cudaErrorInvalidValue;
    return withKernel(function, [&](const Kernel&) {
        *blocks = residentBlocks(blockSize, sharedBytes);
        return cudaSuccess;
    });
}

cudaError_t findEntryPoint(const char* symbol, void** function, cudaDriverEntryPointQueryResult* result)
{
    if (symbol == nullptr || function == nullptr)
        return cudaErrorInvalidValue;
    *function = nullptr; // this runtime has no driver below it
    if (result != nullptr)
        *result = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

} // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaFuncGetAttributes_v3020, [&] {
        if (attributes == nullptr)
            return cudaErrorInvalidValue;
        return withKernel(function, [&](const Kernel& kernel) {
            const cudaDeviceProp properties = describe(currentDevice());
            *attributes = {};
            attributes->maxThreadsPerBlock = kMaxThreadsPerBlock;
            attributes->numRegs = kRegistersPerThread;
            attributes->ptxVersion = properties.major * 10 + properties.minor;
            attributes->binaryVersion = attributes->ptxVersion;
            attributes->maxDynamicSharedSizeBytes = static_cast<int>(sharedLimit(kernel));
            attributes->preferredShmemCarveout = kNoCarveout;
            return cudaSuccess;
        });
    });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetKernel_v12000, [&] {
        return kernel == nullptr ? cudaErrorInvalidValue : __cudaGetKernel(kernel, function);
    });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaFuncSetAttribute_v9000, [&] {
        return withKernel(function, [&](const Kernel& kernel) {
            const auto most = static_cast<int>(describe(currentDevice()).sharedMemPerBlockOptin);
            switch (attribute) {
            case cudaFuncAttributeMaxDynamicSharedMemorySize:
                if (value < 0 || value > most)
                    return cudaErrorInvalidValue;
                setSharedLimit(kernel, static_cast<std::size_t>(value));
                return cudaSuccess;
            case cudaFuncAttributePreferredSharedMemoryCarveout: // a hint
                return value >= kNoCarveout && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
            default: // clusters belong to later generations
                return cudaErrorInvalidValue;
            }
        });
    });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache)
{
    // A hint without effect, because there are no caches.
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaFuncSetCacheConfig_v3020,
                   [&] { return withKernel(function, [](const Kernel&) { return cudaSuccess; }); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int blockSize,
                                                          std::size_t sharedBytes)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6050,
                   [&] { return occupancy(blocks, function, blockSize, sharedBytes); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int blockSize, std::size_t sharedBytes,
                                                                   unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000,
                   [&] {
                       return flags > cudaOccupancyDisableCachingOverride
                                  ? cudaErrorInvalidValue
                                  : occupancy(blocks, function, blockSize, sharedBytes);
                   });
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetDriverEntryPoint_v11030,
                   [&] { return findEntryPoint(symbol, function, result); });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long, cudaDriverEntryPointQueryResult* result)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetDriverEntryPointByVersion_v12050,
                   [&] { return findEntryPoint(symbol, function, result); });
}
