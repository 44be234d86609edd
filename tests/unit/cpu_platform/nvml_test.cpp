// SPDX-License-Identifier: Apache-2.0
// The emulated NVML: values of the script, NVML's own error codes, and no invented values.
#include "nvml_child.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <climits>

// Newer headers have deprecated some of what runs on every driver.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

using namespace ringside::test;

nvmlFieldValue_t field(nvmlDevice_t of, unsigned id, unsigned scope = 0)
{
    nvmlFieldValue_t value{};
    value.fieldId = id;
    value.scopeId = scope;
    EXPECT_EQ(nvmlDeviceGetFieldValues(of, 1, &value), NVML_SUCCESS);
    return value;
}

constexpr const char* kFull = R"(
# everything once
0 * gpu=95 memory=40 memory_total=8e10 memory_used=2e10 power=301.5 power_limit=400 energy=12.5 temperature=64
0 * sm_clock=1410 sm_clock_max=1755 memory_clock=1593 memory_clock_max=1593 reasons=power_cap+hw_thermal pstate=2
0 * pcie_tx=1048576 pcie_rx=2097152 pcie_replays=3 pcie_generation=4 pcie_width=8 pcie_generation_max=5 pcie_width_max=16
0 * ecc_corrected=7 ecc_uncorrected=1 ecc_corrected_aggregate=70 ecc_uncorrected_aggregate=10 memory_temperature=80
0 * temperature_slowdown=87 thermal_violation=1.5 power_violation=2
0 * retired_pages_corrected=3 retired_pages_uncorrected=2 retired_pages_pending=1
0 * rows_remapped_corrected=5 rows_remapped_uncorrected=4 row_remap_pending=1 row_remap_failed=0
0 1 gpu=5   # only this device
)";

TEST(Nvml, reportsTheScriptsValuesInItsOwnUnits)
{
    withScript(kFull, [] {
        const nvmlDevice_t first = device(0);
        nvmlUtilization_t utilization{};
        nvmlMemory_t memory{};
        nvmlMemory_v2_t memory2{};
        memory2.version = nvmlMemory_v2;
        EXPECT_EQ(nvmlDeviceGetUtilizationRates(first, &utilization), NVML_SUCCESS);
        EXPECT_EQ(utilization.gpu, 95U);
        EXPECT_EQ(utilization.memory, 40U);
        EXPECT_EQ(nvmlDeviceGetUtilizationRates(device(1), &utilization), NVML_SUCCESS);
        EXPECT_EQ(utilization.gpu, 5U);
        EXPECT_EQ(nvmlDeviceGetMemoryInfo(first, &memory), NVML_SUCCESS);
        EXPECT_EQ(memory.total, 80'000'000'000U);
        EXPECT_EQ(memory.used + memory.free, memory.total);
        EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(first, &memory2), NVML_SUCCESS);
        EXPECT_EQ(memory2.used, 20'000'000'000U);
        EXPECT_EQ(reading(nvmlDeviceGetPowerUsage, first), 301'500);
        EXPECT_EQ(reading(nvmlDeviceGetEnforcedPowerLimit, first), 400'000);
        EXPECT_EQ(reading(nvmlDeviceGetTotalEnergyConsumption, first), 12'500);
        EXPECT_EQ(reading(nvmlDeviceGetPerformanceState, first), 2);
        EXPECT_EQ(reading(nvmlDeviceGetCurrentClocksEventReasons, first), 0x44);
        EXPECT_EQ(reading(nvmlDeviceGetPcieReplayCounter, first), 3);
        EXPECT_EQ(reading(nvmlDeviceGetCurrPcieLinkGeneration, first), 4);
        EXPECT_EQ(reading(nvmlDeviceGetCurrPcieLinkWidth, first), 8);
        EXPECT_EQ(reading(nvmlDeviceGetMaxPcieLinkGeneration, first), 5);
        EXPECT_EQ(reading(nvmlDeviceGetMaxPcieLinkWidth, first), 16);
    });
}

TEST(Nvml, distinguishesSensorsClocksAndCounters)
{
    withScript(kFull, [] {
        const nvmlDevice_t first = device(0);
        unsigned value = 0;
        unsigned long long errors = 0;
        EXPECT_EQ(nvmlDeviceGetTemperature(first, NVML_TEMPERATURE_GPU, &value), NVML_SUCCESS);
        EXPECT_EQ(value, 64U);
        EXPECT_EQ(nvmlDeviceGetClockInfo(first, NVML_CLOCK_SM, &value), NVML_SUCCESS);
        EXPECT_EQ(value, 1410U);
        EXPECT_EQ(nvmlDeviceGetClockInfo(first, NVML_CLOCK_MEM, &value), NVML_SUCCESS);
        EXPECT_EQ(value, 1593U);
        EXPECT_EQ(nvmlDeviceGetMaxClockInfo(first, NVML_CLOCK_SM, &value), NVML_SUCCESS);
        EXPECT_EQ(value, 1755U);
        EXPECT_EQ(nvmlDeviceGetClockInfo(first, NVML_CLOCK_VIDEO, &value), NVML_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(nvmlDeviceGetPcieThroughput(first, NVML_PCIE_UTIL_RX_BYTES, &value), NVML_SUCCESS);
        EXPECT_EQ(value, 2048U);
        EXPECT_EQ(nvmlDeviceGetTotalEccErrors(first, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC,
                                              &errors),
                  NVML_SUCCESS);
        EXPECT_EQ(errors, 10U);
        EXPECT_EQ(field(first, NVML_FI_DEV_ECC_SBE_VOL_TOTAL).value.ullVal, 7U);
        EXPECT_EQ(field(first, NVML_FI_DEV_MEMORY_TEMP).value.uiVal, 80U);
        EXPECT_EQ(field(first, NVML_FI_DEV_POWER_INSTANT).value.uiVal, 301'500U);
        EXPECT_EQ(field(first, NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION).value.ullVal, 12'500U);
        EXPECT_EQ(field(first, 9999).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
    });
}

TEST(Nvml, reportsTemperaturesAndReplacedMemory)
{
    withScript(kFull, [] {
        const nvmlDevice_t first = device(0);
        unsigned celsius = 0;
        EXPECT_EQ(nvmlDeviceGetTemperatureThreshold(first, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN, &celsius),
                  NVML_SUCCESS);
        EXPECT_EQ(celsius, 87U);
        EXPECT_EQ(nvmlDeviceGetTemperatureThreshold(first, NVML_TEMPERATURE_THRESHOLD_SHUTDOWN, &celsius),
                  NVML_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(field(first, NVML_FI_DEV_PERF_POLICY_THERMAL).value.ullVal, 1'500'000'000U);
        EXPECT_EQ(field(first, NVML_FI_DEV_PERF_POLICY_POWER).value.ullVal, 2'000'000'000U);
        EXPECT_EQ(field(first, NVML_FI_DEV_RETIRED_SBE).value.ullVal, 3U);
        EXPECT_EQ(field(first, NVML_FI_DEV_RETIRED_DBE).value.ullVal, 2U);
        EXPECT_EQ(field(first, NVML_FI_DEV_RETIRED_PENDING).value.ullVal, 1U);
        EXPECT_EQ(field(first, NVML_FI_DEV_REMAPPED_COR).value.uiVal, 5U);
        EXPECT_EQ(field(first, NVML_FI_DEV_REMAPPED_UNC).value.uiVal, 4U);
        EXPECT_EQ(field(first, NVML_FI_DEV_REMAPPED_PENDING).value.uiVal, 1U);
        EXPECT_EQ(field(first, NVML_FI_DEV_REMAPPED_FAILURE).value.uiVal, 0U);
    });
}

TEST(Nvml, reportsEachNvLinkAndTheirSum)
{
    constexpr const char* kLinks = "0 0 nvlinks=3 nvlink_replays=2 nvlink_tx=2048 nvlink_speed=25e9\n"
                                   "0 0 nvlink_up.1=0 nvlink_replays.1=40\n";
    withScript(kLinks, [] {
        const nvmlDevice_t first = device(0);
        nvmlEnableState_t state = NVML_FEATURE_DISABLED;
        unsigned long long errors = 0;
        EXPECT_EQ(nvmlDeviceGetNvLinkState(first, 0, &state), NVML_SUCCESS);
        EXPECT_EQ(state, NVML_FEATURE_ENABLED);
        EXPECT_EQ(nvmlDeviceGetNvLinkState(first, 1, &state), NVML_SUCCESS);
        EXPECT_EQ(state, NVML_FEATURE_DISABLED);
        EXPECT_EQ(nvmlDeviceGetNvLinkState(first, 3, &state), NVML_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(nvmlDeviceGetNvLinkState(device(1), 0, &state), NVML_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(nvmlDeviceGetNvLinkErrorCounter(first, 1, NVML_NVLINK_ERROR_DL_REPLAY, &errors),
                  NVML_SUCCESS);
        EXPECT_EQ(errors, 40U);
        EXPECT_EQ(nvmlDeviceGetNvLinkErrorCounter(first, 1, NVML_NVLINK_ERROR_DL_CRC_DATA, &errors),
                  NVML_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL).value.ullVal, 44U);
        EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_LINK_COUNT).value.uiVal, 3U);
        EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 2).value.ullVal, 2U);
        EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, UINT_MAX).value.ullVal, 6U);
        EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_GET_SPEED, 2).value.uiVal, 25'000U);
        EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 3).nvmlReturn,
                  NVML_ERROR_NOT_SUPPORTED);
    });
}

// Without a script nothing is known, and nothing is 0.
TEST(Nvml, inventsNothing)
{
    withScript(nullptr, [] {
        const nvmlDevice_t first = device(0);
        nvmlUtilization_t utilization{};
        nvmlMemory_t memory{};
        nvmlEnableState_t state{};
        unsigned count = 0;
        EXPECT_EQ(nvmlDeviceGetUtilizationRates(first, &utilization), NVML_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(nvmlDeviceGetMemoryInfo(first, &memory), NVML_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(nvmlDeviceGetEccMode(first, &state, &state), NVML_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(first, &count, nullptr), NVML_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(reading(nvmlDeviceGetPowerUsage, first), -1);
        EXPECT_EQ(reading(nvmlDeviceGetCurrentClocksThrottleReasons, first), -1);
        EXPECT_EQ(reading(nvmlDeviceGetPcieReplayCounter, first), -1);
        EXPECT_EQ(field(first, NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL).nvmlReturn,
                  NVML_ERROR_NOT_SUPPORTED);
    });
}

TEST(Nvml, misuseGivesItsOwnErrors)
{
    unsigned count = 0;
    nvmlDevice_t handle = nullptr;
    EXPECT_EQ(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
    EXPECT_EQ(nvmlDeviceGetHandleByIndex(0, &handle), NVML_ERROR_UNINITIALIZED);
    EXPECT_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
    EXPECT_STREQ(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported");
    withScript(kFull, [] {
        std::array<char, 8> tooSmall{};
        unsigned value = 0;
        nvmlDevice_t other = nullptr;
        nvmlMemory_v2_t memory{};
        auto* const nobody = reinterpret_cast<nvmlDevice_t>(&value);
        EXPECT_EQ(nvmlDeviceGetHandleByIndex(8, &other), NVML_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(nvmlDeviceGetHandleByIndex(0, nullptr), NVML_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(nvmlDeviceGetHandleByUUID("GPU-nobody", &other), NVML_ERROR_NOT_FOUND);
        EXPECT_EQ(nvmlDeviceGetHandleByPciBusId("0000:99:00.0", &other), NVML_ERROR_NOT_FOUND);
        EXPECT_EQ(nvmlDeviceGetPowerUsage(nobody, &value), NVML_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(nvmlDeviceGetPowerUsage(nullptr, &value), NVML_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(nvmlDeviceGetPowerUsage(device(0), nullptr), NVML_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(nvmlDeviceGetName(device(0), tooSmall.data(), tooSmall.size()),
                  NVML_ERROR_INSUFFICIENT_SIZE);
        EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device(0), &memory), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
        EXPECT_EQ(nvmlInit(), NVML_SUCCESS);     // counted
        EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS); // so this is not the last
        EXPECT_EQ(nvmlDeviceGetPowerUsage(device(0), &value), NVML_SUCCESS);
        EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
        EXPECT_EQ(nvmlDeviceGetCount(&value), NVML_ERROR_UNINITIALIZED);
    });
}

TEST(Nvml, encodesBitErrorRatesAndReportsTheFabric)
{
    withScript("0 0 nvlinks=2 nvlink_effective_ber=0 nvlink_symbol_ber=2e-13 nvlink_symbol_ber.1=3e-9\n"
               "0 0 persistence_mode=1 fabric_state=3 fabric_status=6\n",
               [] {
                   const nvmlDevice_t first = device(0);
                   EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_COUNT_EFFECTIVE_BER, UINT_MAX).value.ullVal,
                             0xFFFU);
                   EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_COUNT_SYMBOL_BER, 0).value.ullVal, 0x20DU);
                   EXPECT_EQ(field(first, NVML_FI_DEV_NVLINK_COUNT_SYMBOL_BER, UINT_MAX).value.ullVal, 0x309U)
                       << "the worst";
                   nvmlEnableState_t mode = NVML_FEATURE_DISABLED;
                   EXPECT_EQ(nvmlDeviceGetPersistenceMode(first, &mode), NVML_SUCCESS);
                   EXPECT_EQ(mode, NVML_FEATURE_ENABLED);
                   nvmlGpuFabricInfo_t fabric{};
                   EXPECT_EQ(nvmlDeviceGetGpuFabricInfo(first, &fabric), NVML_SUCCESS);
                   EXPECT_EQ(fabric.state, NVML_GPU_FABRIC_STATE_COMPLETED);
                   EXPECT_EQ(fabric.status, NVML_ERROR_NOT_FOUND);
                   EXPECT_EQ(nvmlDeviceGetGpuFabricInfo(device(1), &fabric), NVML_ERROR_NOT_SUPPORTED);
               });
}

TEST(Nvml, listsProcesses)
{
    withScript("0 0 process=4711:1e9 process=self:5e8 process=99:7\n0 0 process=99:0", [] {
        std::array<nvmlProcessInfo_t, 4> processes{};
        unsigned count = 1;
        EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(device(0), &count, processes.data()),
                  NVML_ERROR_INSUFFICIENT_SIZE);
        EXPECT_EQ(count, 2U);
        count = 4;
        EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(device(0), &count, processes.data()), NVML_SUCCESS);
        ASSERT_EQ(count, 2U);
        const bool mineFirst = processes[0].pid == static_cast<unsigned>(getpid());
        EXPECT_EQ(processes[mineFirst ? 0 : 1].usedGpuMemory, 500'000'000U);
        EXPECT_EQ(processes[mineFirst ? 1 : 0].pid, 4711U);
    });
}

TEST(Nvml, deliversXidEventsToRegisteredClients)
{
    withScript("0.05 * xid=31\n0.1 1 xid=79 lost=1", [] {
        const nvmlDevice_t first = device(1); // before it is lost
        nvmlEventSet_t set = nullptr;
        nvmlEventData_t event{};
        EXPECT_EQ(nvmlEventSetCreate(&set), NVML_SUCCESS);
        EXPECT_EQ(nvmlDeviceRegisterEvents(first, nvmlEventTypeXidCriticalError, set), NVML_SUCCESS);
        EXPECT_EQ(nvmlDeviceRegisterEvents(first, nvmlEventTypePState, set), NVML_ERROR_NOT_SUPPORTED);
        for (const unsigned long long xid : {31ULL, 79ULL}) {
            EXPECT_EQ(nvmlEventSetWait(set, &event, 10'000), NVML_SUCCESS);
            EXPECT_EQ(event.device, first);
            EXPECT_EQ(event.eventType, static_cast<unsigned long long>(nvmlEventTypeXidCriticalError));
            EXPECT_EQ(event.eventData, xid);
        }
        EXPECT_EQ(nvmlEventSetWait(set, &event, 1), NVML_ERROR_TIMEOUT);
        EXPECT_EQ(nvmlEventSetFree(set), NVML_SUCCESS);
        unsigned value = 0;
        EXPECT_EQ(nvmlDeviceGetPowerUsage(first, &value), NVML_ERROR_GPU_IS_LOST);
        EXPECT_EQ(nvmlDeviceGetPowerUsage(device(0), &value), NVML_ERROR_NOT_SUPPORTED);
    });
}

TEST(Nvml, blocksWhereTheScriptRequiresIt)
{
    withScript("0 * power=100\n0 1 blocks=1\n0.3 1 blocks=0 power=200", [] {
        const auto began = std::chrono::steady_clock::now();
        unsigned milliwatts = 0;
        EXPECT_EQ(nvmlDeviceGetPowerUsage(device(0), &milliwatts), NVML_SUCCESS);
        EXPECT_EQ(milliwatts, 100'000U) << "the other device answers";
        EXPECT_EQ(nvmlDeviceGetPowerUsage(device(1), &milliwatts), NVML_SUCCESS);
        EXPECT_EQ(milliwatts, 200'000U);
        EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(200));
    });
}

TEST(Nvml, itsFunctionsAreFoundByName)
{
    withScript(nullptr, [] {
        void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_NOLOAD);
        ASSERT_NE(library, nullptr);
        EXPECT_NE(dlsym(library, "nvmlInit_v2"), nullptr);
        EXPECT_NE(dlsym(library, "nvmlInit"), nullptr);
        auto* const stub = reinterpret_cast<nvmlReturn_t (*)(nvmlDevice_t, int)>(
            dlsym(library, "nvmlDeviceSetPersistenceMode"));
        ASSERT_NE(stub, nullptr);
        EXPECT_EQ(stub(nullptr, 0), NVML_ERROR_NOT_SUPPORTED);
    });
}

} // namespace
