// SPDX-License-Identifier: Apache-2.0
// The part of NVML that is sampled: layouts and numbers of NVML 11 to 13, and the functions we
// look up at run time. Some functions came later than others, so each may have an older name.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ringside::collector::nvml {

using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kUninitialized = 1;
inline constexpr Result kInvalidArgument = 2;
inline constexpr Result kNotSupported = 3;
inline constexpr Result kNoPermission = 4;
inline constexpr Result kTimeout = 10;
inline constexpr Result kFunctionNotFound = 13;
inline constexpr Result kGpuIsLost = 15;

using Device = struct DeviceHandle*;
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
struct FabricInfo {
    unsigned char cluster[16];
    Result status; ///< of having joined it
    unsigned clique;
    unsigned char state; ///< 0 there is none, 1 not begun, 2 on its way, 3 joined
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
inline constexpr unsigned kAllLinks = 0xFFFFFFFF; ///< as a scope

inline constexpr int kClockSm = 1;
inline constexpr int kClockMemory = 2;
inline constexpr int kTemperatureGpu = 0;
inline constexpr int kThresholdSlowdown = 1;
inline constexpr unsigned kMostLinks = 36; ///< of any GPU so far
inline constexpr int kEnabled = 1;

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
// NVLink 5 (Blackwell) has counters of its own.
inline constexpr unsigned kFieldNvlink5TxBytes = 202;
inline constexpr unsigned kFieldNvlink5RxBytes = 204;
inline constexpr unsigned kFieldNvlink5Recovered = 213;
inline constexpr unsigned kFieldNvlink5NotRecovered = 214;
inline constexpr unsigned kFieldNvlink5EffectiveErrors = 219;
inline constexpr unsigned kFieldNvlink5EffectiveBer = 220; ///< see berPer1e18 of sampled/nvml.cpp
inline constexpr unsigned kFieldNvlink5SymbolErrors = 221;
inline constexpr unsigned kFieldNvlink5SymbolBer = 222;
inline constexpr unsigned kBerMantissaShift = 8; ///< of a bit error rate, mantissa x 10^-exponent
inline constexpr unsigned kBerMantissaMask = 0xF;
inline constexpr unsigned kBerExponentMask = 0xFF;

} // namespace ringside::collector::nvml

// RS_NVML(member, exported name, older name or the same, parameters)
// clang-format off
#define RINGSIDE_NVML_FUNCTIONS(RS_NVML)                                                                                       \
    RS_NVML(init, nvmlInit_v2, nvmlInit, ())                                                                                   \
    RS_NVML(shutdown, nvmlShutdown, nvmlShutdown, ())                                                                          \
    RS_NVML(deviceByBusId, nvmlDeviceGetHandleByPciBusId_v2, nvmlDeviceGetHandleByPciBusId,                                    \
            (const char* busId, ringside::collector::nvml::Device* device))                                                    \
    RS_NVML(deviceByUuid, nvmlDeviceGetHandleByUUID, nvmlDeviceGetHandleByUUID,                                                \
            (const char* uuid, ringside::collector::nvml::Device* device))                                                     \
    RS_NVML(utilization, nvmlDeviceGetUtilizationRates, nvmlDeviceGetUtilizationRates,                                         \
            (ringside::collector::nvml::Device device, ringside::collector::nvml::Utilization* utilization))                   \
    RS_NVML(memory, nvmlDeviceGetMemoryInfo, nvmlDeviceGetMemoryInfo,                                                          \
            (ringside::collector::nvml::Device device, ringside::collector::nvml::Memory* memory))                             \
    RS_NVML(memoryV2, nvmlDeviceGetMemoryInfo_v2, nvmlDeviceGetMemoryInfo_v2,                                                  \
            (ringside::collector::nvml::Device device, ringside::collector::nvml::MemoryV2* memory))                           \
    RS_NVML(clock, nvmlDeviceGetClockInfo, nvmlDeviceGetClockInfo,                                                             \
            (ringside::collector::nvml::Device device, int type, unsigned* mhz))                                               \
    RS_NVML(maxClock, nvmlDeviceGetMaxClockInfo, nvmlDeviceGetMaxClockInfo,                                                    \
            (ringside::collector::nvml::Device device, int type, unsigned* mhz))                                               \
    RS_NVML(clockReasons, nvmlDeviceGetCurrentClocksEventReasons, nvmlDeviceGetCurrentClocksThrottleReasons,                   \
            (ringside::collector::nvml::Device device, unsigned long long* reasons))                                           \
    RS_NVML(power, nvmlDeviceGetPowerUsage, nvmlDeviceGetPowerUsage,                                                           \
            (ringside::collector::nvml::Device device, unsigned* milliwatts))                                                  \
    RS_NVML(temperature, nvmlDeviceGetTemperature, nvmlDeviceGetTemperature,                                                   \
            (ringside::collector::nvml::Device device, int sensor, unsigned* celsius))                                         \
    RS_NVML(pcieGeneration, nvmlDeviceGetCurrPcieLinkGeneration, nvmlDeviceGetCurrPcieLinkGeneration,                          \
            (ringside::collector::nvml::Device device, unsigned* generation))                                                  \
    RS_NVML(pcieLanes, nvmlDeviceGetCurrPcieLinkWidth, nvmlDeviceGetCurrPcieLinkWidth,                                         \
            (ringside::collector::nvml::Device device, unsigned* lanes))                                                       \
    RS_NVML(pcieMostGeneration, nvmlDeviceGetMaxPcieLinkGeneration, nvmlDeviceGetMaxPcieLinkGeneration,                        \
            (ringside::collector::nvml::Device device, unsigned* generation))                                                  \
    RS_NVML(pcieMostLanes, nvmlDeviceGetMaxPcieLinkWidth, nvmlDeviceGetMaxPcieLinkWidth,                                       \
            (ringside::collector::nvml::Device device, unsigned* lanes))                                                       \
    RS_NVML(temperatureThreshold, nvmlDeviceGetTemperatureThreshold, nvmlDeviceGetTemperatureThreshold,                        \
            (ringside::collector::nvml::Device device, int threshold, unsigned* celsius))                                      \
    RS_NVML(linkState, nvmlDeviceGetNvLinkState, nvmlDeviceGetNvLinkState,                                                     \
            (ringside::collector::nvml::Device device, unsigned link, int* state))                                             \
    RS_NVML(persistence, nvmlDeviceGetPersistenceMode, nvmlDeviceGetPersistenceMode,                                           \
            (ringside::collector::nvml::Device device, int* mode))                                                             \
    RS_NVML(fabric, nvmlDeviceGetGpuFabricInfo, nvmlDeviceGetGpuFabricInfo,                                                    \
            (ringside::collector::nvml::Device device, ringside::collector::nvml::FabricInfo* info))                           \
    RS_NVML(fields, nvmlDeviceGetFieldValues, nvmlDeviceGetFieldValues,                                                        \
            (ringside::collector::nvml::Device device, int count, ringside::collector::nvml::FieldValue* values))              \
    RS_NVML(eventSetCreate, nvmlEventSetCreate, nvmlEventSetCreate, (ringside::collector::nvml::EventSet* set))                \
    RS_NVML(registerEvents, nvmlDeviceRegisterEvents, nvmlDeviceRegisterEvents,                                                \
            (ringside::collector::nvml::Device device, unsigned long long types, ringside::collector::nvml::EventSet set))     \
    RS_NVML(eventWait, nvmlEventSetWait_v2, nvmlEventSetWait,                                                                  \
            (ringside::collector::nvml::EventSet set, ringside::collector::nvml::EventData* event, unsigned timeoutMs))        \
    RS_NVML(eventSetFree, nvmlEventSetFree, nvmlEventSetFree, (ringside::collector::nvml::EventSet set))
// clang-format on
