// SPDX-License-Identifier: Apache-2.0
// The part of NVML that is used: layouts and constants of NVML 11 to 13, and the functions that are looked up
// at run time. Some functions are newer than others and may have an older name.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ringside::host::nvml {

using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kUninitialized = 1;
inline constexpr Result kInvalidArgument = 2;
inline constexpr Result kNotSupported = 3;
inline constexpr Result kNoPermission = 4;
inline constexpr Result kTimeout = 10;
inline constexpr Result kFunctionNotFound = 13;
inline constexpr Result kGpuIsLost = 15;

using Device = struct DeviceHandle*; // NOLINT(bugprone-forward-declaration-namespace): another library's
using EventSet = struct EventSetHandle*;

struct Utilization {
    unsigned gpu, memory; ///< percent
};
struct Memory {
    unsigned long long total, free, used;
};
struct MemoryV2 {
    static constexpr unsigned kVersion = 0x02000028;
    unsigned version;
    unsigned long long total, reserved, free, used;
};
struct PciInfo {
    char busIdLegacy[16];
    unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[32];
};
/// As of the _v2 form of the function; its first form has a shorter record.
struct ProcessInfo {
    static constexpr unsigned long long kNotAvailable = ~0ULL;
    unsigned pid; ///< in the host's pid namespace, also for callers in a container
    unsigned long long usedGpuMemory;
    unsigned gpuInstance, computeInstance;
};
struct FabricInfo {
    unsigned char cluster[16];
    Result status; ///< result of joining it
    unsigned clique;
    unsigned char state; ///< 0 none, 1 not started, 2 in progress, 3 joined
};
struct EventData {
    Device device;
    unsigned long long type, data;
    unsigned gpuInstance, computeInstance;
};
inline constexpr unsigned long long kEventXid = 8;

enum ValueType : int {
    kDouble = 0,
    kUnsigned = 1,
    kUnsignedLong = 2,
    kUnsignedLongLong = 3,
    kSignedLongLong = 4,
    kSigned = 5
};
struct FieldValue {
    unsigned field, scope;
    long long timestamp, latencyUs;
    int valueType; ///< ValueType
    Result result;
    union {
        double real;
        int integer;
        unsigned natural;
        unsigned long long count;
        long long wide;
    } value;
};
inline constexpr unsigned kAllLinks = 0xFFFFFFFF; ///< value of a scope

inline constexpr int kClockSm = 1;
inline constexpr int kClockMemory = 2;
inline constexpr int kTemperatureGpu = 0;
inline constexpr int kThresholdSlowdown = 1;
inline constexpr unsigned kMostLinks = 36; ///< largest number on any GPU so far
inline constexpr int kEnabled = 1;
inline constexpr int kEccUncorrected = 1;
inline constexpr int kEccVolatile = 0; ///< since the driver was loaded

inline constexpr unsigned kFieldEccCorrected = 3;
inline constexpr unsigned kFieldEccUncorrected = 4;
inline constexpr unsigned kFieldRetiredCorrected = 29; ///< pages
inline constexpr unsigned kFieldRetiredUncorrected = 30;
inline constexpr unsigned kFieldRetiredPending = 31;
inline constexpr unsigned kFieldNvlinkCrcFlits = 38;
inline constexpr unsigned kFieldNvlinkCrcData = 45;
inline constexpr unsigned kFieldNvlinkReplays = 52;
inline constexpr unsigned kFieldNvlinkRecoveries = 59;
inline constexpr unsigned kFieldPowerViolation = 74; ///< ns
inline constexpr unsigned kFieldThermalViolation = 75;
inline constexpr unsigned kFieldMemoryTemperature = 82;
inline constexpr unsigned kFieldEnergy = 83;
inline constexpr unsigned kFieldPcieReplays = 94;
inline constexpr unsigned kFieldNvlinkDataTx = 138; ///< KiB
inline constexpr unsigned kFieldNvlinkDataRx = 139;
inline constexpr unsigned kFieldRemappedCorrected = 142; ///< rows
inline constexpr unsigned kFieldRemappedUncorrected = 143;
inline constexpr unsigned kFieldRemapPending = 144;
inline constexpr unsigned kFieldRemapFailed = 145;
inline constexpr unsigned kFieldPowerInstant = 186;
// NVLink 5 (Blackwell) has its own counters.
inline constexpr unsigned kFieldNvlink5TxBytes = 202;
inline constexpr unsigned kFieldNvlink5RxBytes = 204;
inline constexpr unsigned kFieldNvlink5Recovered = 213;
inline constexpr unsigned kFieldNvlink5NotRecovered = 214;
inline constexpr unsigned kFieldNvlink5EffectiveErrors = 219;
inline constexpr unsigned kFieldNvlink5EffectiveBer = 220; ///< see berPer1e18 of sampled/nvml_fields.cpp
inline constexpr unsigned kFieldNvlink5SymbolErrors = 221;
inline constexpr unsigned kFieldNvlink5SymbolBer = 222;
inline constexpr unsigned kBerMantissaShift = 8; ///< of a bit error rate, mantissa x 10^-exponent
inline constexpr unsigned kBerMantissaMask = 0xF;
inline constexpr unsigned kBerExponentMask = 0xFF;

} // namespace ringside::host::nvml

// RS_NVML(member, exported name, older name or the same, parameters). The types are those of
// ringside::host::nvml.
// clang-format off
#define RINGSIDE_NVML_FUNCTIONS(RS_NVML)                                                                                       \
    RS_NVML(init, nvmlInit_v2, nvmlInit, ())                                                                                   \
    RS_NVML(shutdown, nvmlShutdown, nvmlShutdown, ())                                                                          \
    RS_NVML(deviceByBusId, nvmlDeviceGetHandleByPciBusId_v2, nvmlDeviceGetHandleByPciBusId,                                    \
            (const char* busId, Device* device))                                                                               \
    RS_NVML(deviceByUuid, nvmlDeviceGetHandleByUUID, nvmlDeviceGetHandleByUUID, (const char* uuid, Device* device))            \
    RS_NVML(deviceCount, nvmlDeviceGetCount_v2, nvmlDeviceGetCount, (unsigned* count))                                         \
    RS_NVML(deviceByIndex, nvmlDeviceGetHandleByIndex_v2, nvmlDeviceGetHandleByIndex, (unsigned index, Device* device))        \
    RS_NVML(pci, nvmlDeviceGetPciInfo_v3, nvmlDeviceGetPciInfo_v3, (Device device, PciInfo* info))                             \
    RS_NVML(eccErrors, nvmlDeviceGetTotalEccErrors, nvmlDeviceGetTotalEccErrors,                                               \
            (Device device, int type, int counter, unsigned long long* errors))                                                \
    RS_NVML(remappedRows, nvmlDeviceGetRemappedRows, nvmlDeviceGetRemappedRows,                                                \
            (Device device, unsigned* corrected, unsigned* uncorrected, unsigned* pending, unsigned* failed))                  \
    RS_NVML(name, nvmlDeviceGetName, nvmlDeviceGetName, (Device device, char* name, unsigned length))                          \
    RS_NVML(processes, nvmlDeviceGetComputeRunningProcesses_v3, nvmlDeviceGetComputeRunningProcesses_v2,                       \
            (Device device, unsigned* count, ProcessInfo* processes))                                                          \
    RS_NVML(utilization, nvmlDeviceGetUtilizationRates, nvmlDeviceGetUtilizationRates,                                         \
            (Device device, Utilization* utilization))                                                                         \
    RS_NVML(memory, nvmlDeviceGetMemoryInfo, nvmlDeviceGetMemoryInfo, (Device device, Memory* memory))                         \
    RS_NVML(memoryV2, nvmlDeviceGetMemoryInfo_v2, nvmlDeviceGetMemoryInfo_v2, (Device device, MemoryV2* memory))               \
    RS_NVML(clock, nvmlDeviceGetClockInfo, nvmlDeviceGetClockInfo, (Device device, int type, unsigned* mhz))                   \
    RS_NVML(maxClock, nvmlDeviceGetMaxClockInfo, nvmlDeviceGetMaxClockInfo, (Device device, int type, unsigned* mhz))          \
    RS_NVML(clockReasons, nvmlDeviceGetCurrentClocksEventReasons, nvmlDeviceGetCurrentClocksThrottleReasons,                   \
            (Device device, unsigned long long* reasons))                                                                      \
    RS_NVML(power, nvmlDeviceGetPowerUsage, nvmlDeviceGetPowerUsage, (Device device, unsigned* milliwatts))                    \
    RS_NVML(temperature, nvmlDeviceGetTemperature, nvmlDeviceGetTemperature, (Device device, int sensor, unsigned* celsius))   \
    RS_NVML(pcieGeneration, nvmlDeviceGetCurrPcieLinkGeneration, nvmlDeviceGetCurrPcieLinkGeneration,                          \
            (Device device, unsigned* generation))                                                                             \
    RS_NVML(pcieLanes, nvmlDeviceGetCurrPcieLinkWidth, nvmlDeviceGetCurrPcieLinkWidth, (Device device, unsigned* lanes))       \
    RS_NVML(pcieMostGeneration, nvmlDeviceGetMaxPcieLinkGeneration, nvmlDeviceGetMaxPcieLinkGeneration,                        \
            (Device device, unsigned* generation))                                                                             \
    RS_NVML(pcieMostLanes, nvmlDeviceGetMaxPcieLinkWidth, nvmlDeviceGetMaxPcieLinkWidth, (Device device, unsigned* lanes))     \
    RS_NVML(temperatureThreshold, nvmlDeviceGetTemperatureThreshold, nvmlDeviceGetTemperatureThreshold,                        \
            (Device device, int threshold, unsigned* celsius))                                                                 \
    RS_NVML(linkState, nvmlDeviceGetNvLinkState, nvmlDeviceGetNvLinkState, (Device device, unsigned link, int* state))         \
    RS_NVML(persistence, nvmlDeviceGetPersistenceMode, nvmlDeviceGetPersistenceMode, (Device device, int* mode))               \
    RS_NVML(fabric, nvmlDeviceGetGpuFabricInfo, nvmlDeviceGetGpuFabricInfo, (Device device, FabricInfo* info))                 \
    RS_NVML(fields, nvmlDeviceGetFieldValues, nvmlDeviceGetFieldValues, (Device device, int count, FieldValue* values))        \
    RS_NVML(eventSetCreate, nvmlEventSetCreate, nvmlEventSetCreate, (EventSet* set))                                           \
    RS_NVML(registerEvents, nvmlDeviceRegisterEvents, nvmlDeviceRegisterEvents,                                                \
            (Device device, unsigned long long types, EventSet set))                                                           \
    RS_NVML(eventWait, nvmlEventSetWait_v2, nvmlEventSetWait, (EventSet set, EventData* event, unsigned timeoutMs))            \
    RS_NVML(eventSetFree, nvmlEventSetFree, nvmlEventSetFree, (EventSet set))
// clang-format on
