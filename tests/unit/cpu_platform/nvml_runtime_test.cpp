// SPDX-License-Identifier: Apache-2.0
// The emulated NVML reports the same GPUs as the emulated CUDA runtime: their names, their clocks, and the
// memory that the process uses.
#include "nvml_child.h"

#include <cuda_runtime_api.h>

#include <array>

// Newer headers have deprecated some of what runs on every driver.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

using namespace ringside::test;

TEST(Nvml, takesClockAndReasonFromAThrottledModel)
{
    setenv("RINGSIDE_DEVICE_MODEL", RINGSIDE_THROTTLED_MODEL, 1);
    withScript("0 1 sm_clock=1000 reasons=power_cap", [] {
        unsigned mhz = 0;
        EXPECT_EQ(nvmlDeviceGetClockInfo(device(0), NVML_CLOCK_SM, &mhz), NVML_SUCCESS);
        EXPECT_EQ(mhz, 470U); // 1410 MHz throttled by 3
        EXPECT_EQ(nvmlDeviceGetMaxClockInfo(device(0), NVML_CLOCK_SM, &mhz), NVML_SUCCESS);
        EXPECT_EQ(mhz, 1410U);
        EXPECT_EQ(reading(nvmlDeviceGetCurrentClocksEventReasons, device(0)), 0x20);
        EXPECT_EQ(nvmlDeviceGetClockInfo(device(1), NVML_CLOCK_SM, &mhz), NVML_SUCCESS);
        EXPECT_EQ(mhz, 1000U); // the script goes first
        EXPECT_EQ(reading(nvmlDeviceGetCurrentClocksEventReasons, device(1)), 4);
    });
    unsetenv("RINGSIDE_DEVICE_MODEL");
}

// Used bytes, -1 where NVML does not know.
double usedBytes(nvmlDevice_t of)
{
    nvmlMemory_t memory{};
    const nvmlReturn_t result = nvmlDeviceGetMemoryInfo(of, &memory);
    EXPECT_TRUE(result == NVML_SUCCESS || result == NVML_ERROR_NOT_SUPPORTED) << result;
    return result == NVML_SUCCESS ? static_cast<double>(memory.used) : -1;
}

TEST(Nvml, itsMemoryIsWhatTheProcessHasAllocated)
{
    static constexpr std::size_t kBytes = 3U << 20U;
    withScript("0 2 memory_total=1000 memory_used=10\n0 3 memory_used=10\n0 4 process=17:5", [] {
        EXPECT_EQ(usedBytes(device(1)), -1) << "nobody knows what others have there";
        EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
        EXPECT_EQ(usedBytes(device(1)), 0);
        void* memory = nullptr;
        EXPECT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
        EXPECT_EQ(usedBytes(device(1)), kBytes);
        EXPECT_EQ(usedBytes(device(0)), -1) << "not used";
        nvmlMemory_v2_t whole{};
        std::size_t free = 0;
        std::size_t total = 0;
        whole.version = nvmlMemory_v2;
        EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device(1), &whole), NVML_SUCCESS);
        EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
        EXPECT_EQ(whole.total, total) << "as the runtime says";
        EXPECT_EQ(whole.free, free);
        for (const int scripted : {2, 3, 4}) {
            EXPECT_EQ(cudaSetDevice(scripted), cudaSuccess);
            EXPECT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
        }
        EXPECT_EQ(usedBytes(device(2)), 10) << "the script goes first";
        EXPECT_EQ(usedBytes(device(3)), -1) << "and says half of it";
        EXPECT_EQ(usedBytes(device(4)), kBytes) << "of this it says nothing";
        EXPECT_EQ(cudaFree(memory), cudaSuccess);
        EXPECT_EQ(usedBytes(device(4)), 0);
    });
}

TEST(Nvml, theProcessIsAmongThoseThatHaveMemory)
{
    static constexpr std::size_t kBytes = 5U << 20U;
    withScript("0 1 process=17:5", [] {
        void* memory = nullptr;
        unsigned count = 2;
        std::array<nvmlProcessInfo_t, 2> processes{};
        EXPECT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess); // on device 0, without having chosen it
        EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(device(0), &count, processes.data()), NVML_SUCCESS);
        EXPECT_EQ(count, 1U);
        EXPECT_EQ(processes[0].pid, static_cast<unsigned>(getpid()));
        EXPECT_EQ(processes[0].usedGpuMemory, kBytes);
        EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
        EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(device(1), &count, processes.data()), NVML_SUCCESS);
        EXPECT_EQ(processes[0].pid, 17U) << "the script goes first";
        const pid_t child = fork();
        if (child == 0)
            _exit(usedBytes(device(0)) == -1 ? 0 : 1); // which has no CUDA of its own
        int status = 0;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    });
}

TEST(Nvml, itsDevicesAreTheRuntimes)
{
    withScript(nullptr, [] {
        unsigned count = 0;
        int cudaCount = 0;
        EXPECT_EQ(nvmlDeviceGetCount(&count), NVML_SUCCESS);
        EXPECT_EQ(cudaGetDeviceCount(&cudaCount), cudaSuccess);
        ASSERT_EQ(static_cast<int>(count), cudaCount);
        cudaDeviceProp properties{};
        std::array<char, 32> busId{};
        EXPECT_EQ(cudaGetDeviceProperties(&properties, 3), cudaSuccess);
        EXPECT_EQ(cudaDeviceGetPCIBusId(busId.data(), static_cast<int>(busId.size()), 3), cudaSuccess);
        nvmlDevice_t byBus = nullptr;
        EXPECT_EQ(nvmlDeviceGetHandleByPciBusId(busId.data(), &byBus), NVML_SUCCESS);
        unsigned index = 0;
        EXPECT_EQ(nvmlDeviceGetIndex(byBus, &index), NVML_SUCCESS);
        EXPECT_EQ(index, 3U);
        std::array<char, NVML_DEVICE_NAME_BUFFER_SIZE> name{};
        std::array<char, NVML_DEVICE_UUID_BUFFER_SIZE> uuid{};
        EXPECT_EQ(nvmlDeviceGetName(byBus, name.data(), name.size()), NVML_SUCCESS);
        EXPECT_STREQ(name.data(), properties.name);
        EXPECT_EQ(nvmlDeviceGetUUID(byBus, uuid.data(), uuid.size()), NVML_SUCCESS);
        std::string digits;
        for (const char byte : properties.uuid.bytes) {
            std::array<char, 3> text{};
            std::snprintf(text.data(), text.size(), "%02x", static_cast<unsigned char>(byte));
            digits += text.data();
        }
        std::string plain(uuid.data() + 4);
        std::erase(plain, '-');
        EXPECT_EQ(plain, digits);
        nvmlDevice_t byUuid = nullptr;
        EXPECT_EQ(nvmlDeviceGetHandleByUUID(uuid.data(), &byUuid), NVML_SUCCESS);
        EXPECT_EQ(byUuid, byBus);
        nvmlPciInfo_t place{};
        EXPECT_EQ(nvmlDeviceGetPciInfo(byBus, &place), NVML_SUCCESS);
        EXPECT_STREQ(place.busId, "00000000:13:00.0");
    });
}

} // namespace
