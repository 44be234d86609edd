// SPDX-License-Identifier: Apache-2.0
// Queries of programs at their start: about devices, kernels and device variables.
#include "kernels.h"

#include <cuda_profiler_api.h>

#include <gtest/gtest.h>

#include <set>
#include <string>

extern "C" void __cudaRegisterVar(void** handle, char* hostVariable, char* deviceAddress,
                                  const char* deviceName, int external, std::size_t size, int constant,
                                  int global);
extern "C" void __cudaRegisterManagedVar(void** handle, void** hostPointer, char* deviceAddress,
                                         const char* deviceName, int external, std::size_t size, int constant,
                                         int global);

namespace {

using ringside::test::scaleKernel;

struct QueryTest : testing::Test {
    ~QueryTest() override { cudaGetLastError(); }
    static int attribute(cudaDeviceAttr number, int device = 0)
    {
        int value = -1;
        EXPECT_EQ(cudaDeviceGetAttribute(&value, number, device), cudaSuccess) << number;
        return value;
    }
    static int blocks(int blockSize, std::size_t sharedBytes)
    {
        int found = -1;
        EXPECT_EQ(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, scaleKernel(), blockSize, sharedBytes),
            cudaSuccess);
        return found;
    }
};

TEST_F(QueryTest, propertiesAndAttributesSayTheSame)
{
    cudaDeviceProp properties{};
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
    EXPECT_NE(std::string(properties.name).find("emulated"), std::string::npos);
    EXPECT_EQ(attribute(cudaDevAttrMaxThreadsPerBlock, 1), properties.maxThreadsPerBlock);
    EXPECT_EQ(attribute(cudaDevAttrMaxGridDimY, 1), properties.maxGridSize[1]);
    EXPECT_EQ(attribute(cudaDevAttrMultiProcessorCount, 1), properties.multiProcessorCount);
    EXPECT_EQ(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, 1),
              static_cast<int>(properties.sharedMemPerBlockOptin));
    EXPECT_EQ(attribute(cudaDevAttrComputeCapabilityMajor, 1), properties.major);
    EXPECT_EQ(attribute(cudaDevAttrPciBusId, 1), properties.pciBusID);
    EXPECT_EQ(attribute(cudaDevAttrManagedMemory, 1), properties.managedMemory);
    EXPECT_EQ(attribute(cudaDevAttrL2CacheSize, 1), properties.l2CacheSize);
    EXPECT_GT(properties.regsPerBlock, 0);
}

TEST_F(QueryTest, everyAttributeHasAnAnswer)
{
    for (int number = 1; number < cudaDevAttrMax; ++number)
        EXPECT_GE(attribute(static_cast<cudaDeviceAttr>(number)), 0);
    int value = 0;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMax, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0), cudaErrorInvalidValue);
}

TEST_F(QueryTest, busIdsAreDistinctAndLeadBack)
{
    int count = 0;
    ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
    std::set<std::string> ids;
    for (int i = 0; i < count; ++i) {
        char id[16] = {};
        int back = -1;
        EXPECT_EQ(cudaDeviceGetPCIBusId(id, sizeof id, i), cudaSuccess);
        EXPECT_EQ(std::string(id).size(), 12U);
        EXPECT_EQ(cudaDeviceGetByPCIBusId(&back, id), cudaSuccess);
        EXPECT_EQ(back, i);
        ids.insert(id);
    }
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(count));
    char small[4];
    EXPECT_EQ(cudaDeviceGetPCIBusId(small, sizeof small, 0), cudaErrorInvalidValue);
}

TEST_F(QueryTest, limitsAreRememberedByDevice)
{
    std::size_t value = 0;
    EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitStackSize), cudaSuccess);
    EXPECT_EQ(value, 1024U);
    EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 4096), cudaSuccess);
    EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitStackSize), cudaSuccess);
    EXPECT_EQ(value, 4096U);
    cudaSetDevice(1);
    EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitStackSize), cudaSuccess);
    EXPECT_EQ(value, 1024U);
    cudaSetDevice(0);
    EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth), cudaErrorUnsupportedLimit);
    EXPECT_EQ(cudaDeviceGetLimit(nullptr, cudaLimitStackSize), cudaErrorInvalidValue);
}

TEST_F(QueryTest, aProfilerMayBeStartedAndStopped)
{
    EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
    EXPECT_EQ(cudaProfilerStop(), cudaSuccess);
}

TEST_F(QueryTest, deviceFlagsAreRemembered)
{
    unsigned flags = 1;
    EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
    EXPECT_EQ(flags, 0U);
    EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), cudaSuccess);
    EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
    EXPECT_EQ(flags, unsigned{cudaDeviceScheduleBlockingSync});
    EXPECT_EQ(cudaSetDeviceFlags(3), cudaErrorInvalidValue); // to spin and to yield
    EXPECT_EQ(cudaSetDeviceFlags(0x100), cudaErrorInvalidValue);
    EXPECT_EQ(cudaSetDeviceFlags(0), cudaSuccess);
}

TEST_F(QueryTest, occupancyFollowsFromThreadsBlocksAndSharedMemory)
{
    EXPECT_EQ(blocks(1024, 0), 2);
    EXPECT_EQ(blocks(32, 0), 32);         // no more blocks than that
    EXPECT_EQ(blocks(129, 0), 12);        // whole warps
    EXPECT_EQ(blocks(128, 40 << 10), 5);  // 41 KiB of 228
    EXPECT_EQ(blocks(128, 228 << 10), 0); // does not fit at all
    EXPECT_EQ(blocks(2048, 0), 0);
    int found = 0;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, scaleKernel(), 0, 0),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, &found, 32, 0),
              cudaErrorInvalidDeviceFunction);
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&found, scaleKernel(), 1024, 0, 9),
              cudaErrorInvalidValue);
}

TEST_F(QueryTest, aKernelMayAskForMoreSharedMemory)
{
    constexpr int kMuch = 100 << 10;
    float value = 1;
    float* values = &value;
    float factor = 1;
    int size = 1;
    void* arguments[] = {&values, &factor, &size};
    EXPECT_EQ(cudaLaunchKernel(scaleKernel(), dim3(1), dim3(1), arguments, kMuch, nullptr),
              cudaErrorInvalidValue);
    cudaFuncAttributes attributes{};
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, scaleKernel()), cudaSuccess);
    EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
    EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 48 << 10);
    EXPECT_EQ(cudaFuncSetAttribute(scaleKernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, kMuch),
              cudaSuccess);
    EXPECT_EQ(cudaLaunchKernel(scaleKernel(), dim3(1), dim3(1), arguments, kMuch, nullptr), cudaSuccess);
    EXPECT_EQ(cudaFuncSetAttribute(scaleKernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaFuncSetAttribute(&value, cudaFuncAttributeMaxDynamicSharedMemorySize, 0),
              cudaErrorInvalidDeviceFunction);
    EXPECT_EQ(cudaFuncSetCacheConfig(scaleKernel(), cudaFuncCachePreferL1), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(QueryTest, aCooperativeLaunchMustFitOntoTheDevice)
{
    float value = 2;
    float* values = &value;
    float factor = 3;
    int size = 1;
    void* arguments[] = {&values, &factor, &size};
    EXPECT_EQ(cudaLaunchCooperativeKernel(scaleKernel(), dim3(2), dim3(1024), arguments, 0, nullptr),
              cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(value, 6);
    EXPECT_EQ(cudaLaunchCooperativeKernel(scaleKernel(), dim3(3), dim3(1024), arguments, 0, nullptr),
              cudaErrorCooperativeLaunchTooLarge); // one multiprocessor without a model
}

TEST_F(QueryTest, thereIsNoDriverToFindFunctionsIn)
{
    int anything = 0;
    void* function = &anything;
    auto result = cudaDriverEntryPointSuccess;
    EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuInit", &function, 13000, 0, &result), cudaSuccess);
    EXPECT_EQ(function, nullptr);
    EXPECT_EQ(result, cudaDriverEntryPointSymbolNotFound);
    EXPECT_EQ(cudaGetDriverEntryPointByVersion(nullptr, &function, 13000, 0, &result), cudaErrorInvalidValue);
}

TEST_F(QueryTest, deviceVariablesAreCopiedByName)
{
    static int variable[4] = {1, 2, 3, 4};
    static const int unknown = 0;
    __cudaRegisterVar(nullptr, reinterpret_cast<char*>(variable), nullptr, "variable", 0, sizeof variable, 0,
                      0);
    const int nine = 9;
    int back = 0;
    void* address = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(cudaMemcpyToSymbol(variable, &nine, sizeof nine, sizeof nine, cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(cudaMemcpyFromSymbol(&back, variable, sizeof back, sizeof back, cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(back, 9);
    EXPECT_EQ(cudaGetSymbolSize(&size, variable), cudaSuccess);
    EXPECT_EQ(size, sizeof variable);
    EXPECT_EQ(cudaGetSymbolAddress(&address, variable), cudaSuccess);
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, address), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
    EXPECT_EQ(cudaFree(address), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpyToSymbol(variable, &nine, sizeof nine, sizeof variable, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetSymbolAddress(&address, &unknown), cudaErrorInvalidSymbol);
}

TEST_F(QueryTest, managedVariablesAreReachedThroughTheProgramsPointer)
{
    int* variable = nullptr;
    __cudaRegisterManagedVar(nullptr, reinterpret_cast<void**>(&variable), nullptr, "managed", 0,
                             4 * sizeof(int), 0, 0);
    ASSERT_NE(variable, nullptr);
    EXPECT_EQ(variable[3], 0);
    variable[3] = 7;
    int back = 0;
    EXPECT_EQ(cudaMemcpyFromSymbol(&back, variable, sizeof back, 3 * sizeof(int), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(back, 7);
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, variable), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
}

TEST_F(QueryTest, aKernelCanBeLaunchedByItsHandle)
{
    cudaKernel_t kernel = nullptr;
    const char* name = nullptr;
    ASSERT_EQ(cudaGetKernel(&kernel, scaleKernel()), cudaSuccess);
    EXPECT_EQ(cudaFuncGetName(&name, kernel), cudaSuccess);
    EXPECT_EQ(cudaGetKernel(&kernel, &name), cudaErrorInvalidDeviceFunction);
    EXPECT_EQ(cudaGetKernel(nullptr, scaleKernel()), cudaErrorInvalidValue);
}

} // namespace
