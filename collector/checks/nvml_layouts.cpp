// SPDX-License-Identifier: Apache-2.0
// Compares our NVML structures and numbers with nvml.h: the toolkit's if it has one, and the CPU
// platform's.
#include "host/nvml/abi.h"

#include <nvml.h>

#include <cstddef>

using namespace ringside::host;

#define RINGSIDE_EQUAL(ours, theirs)                                                                         \
    static_assert(static_cast<unsigned long long>(ours) == static_cast<unsigned long long>(theirs))
#define RINGSIDE_SAME(ours, member, theirs, theirMember)                                                     \
    static_assert(sizeof(ours) == sizeof(theirs) && offsetof(ours, member) == offsetof(theirs, theirMember))

RINGSIDE_SAME(nvml::Utilization, memory, nvmlUtilization_t, memory);
RINGSIDE_SAME(nvml::Memory, used, nvmlMemory_t, used);
RINGSIDE_SAME(nvml::MemoryV2, used, nvmlMemory_v2_t, used);
RINGSIDE_SAME(nvml::PciInfo, busId, nvmlPciInfo_t, busId);
RINGSIDE_SAME(nvml::ProcessInfo, pid, nvmlProcessInfo_t, pid);
RINGSIDE_SAME(nvml::ProcessInfo, usedGpuMemory, nvmlProcessInfo_t, usedGpuMemory);
RINGSIDE_SAME(nvml::EventData, device, nvmlEventData_t, device);
RINGSIDE_SAME(nvml::EventData, type, nvmlEventData_t, eventType);
RINGSIDE_SAME(nvml::EventData, data, nvmlEventData_t, eventData);
RINGSIDE_SAME(nvml::FieldValue, field, nvmlFieldValue_t, fieldId);
RINGSIDE_SAME(nvml::FieldValue, scope, nvmlFieldValue_t, scopeId);
RINGSIDE_SAME(nvml::FieldValue, valueType, nvmlFieldValue_t, valueType);
RINGSIDE_SAME(nvml::FieldValue, result, nvmlFieldValue_t, nvmlReturn);
RINGSIDE_SAME(nvml::FieldValue, value, nvmlFieldValue_t, value);

RINGSIDE_EQUAL(nvml::MemoryV2::kVersion, nvmlMemory_v2);
RINGSIDE_EQUAL(nvml::kSuccess, NVML_SUCCESS);
RINGSIDE_EQUAL(nvml::kInvalidArgument, NVML_ERROR_INVALID_ARGUMENT);
RINGSIDE_EQUAL(nvml::kNotSupported, NVML_ERROR_NOT_SUPPORTED);
RINGSIDE_EQUAL(nvml::kNoPermission, NVML_ERROR_NO_PERMISSION);
RINGSIDE_EQUAL(nvml::kFunctionNotFound, NVML_ERROR_FUNCTION_NOT_FOUND);
RINGSIDE_EQUAL(nvml::kGpuIsLost, NVML_ERROR_GPU_IS_LOST);
RINGSIDE_EQUAL(nvml::kUnsigned, NVML_VALUE_TYPE_UNSIGNED_INT);
RINGSIDE_EQUAL(nvml::kUnsignedLong, NVML_VALUE_TYPE_UNSIGNED_LONG);
RINGSIDE_EQUAL(nvml::kUnsignedLongLong, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
RINGSIDE_EQUAL(nvml::kSignedLongLong, NVML_VALUE_TYPE_SIGNED_LONG_LONG);
RINGSIDE_EQUAL(nvml::kSigned, NVML_VALUE_TYPE_SIGNED_INT);
RINGSIDE_EQUAL(nvml::kEventXid, nvmlEventTypeXidCriticalError);
RINGSIDE_EQUAL(nvml::kClockSm, NVML_CLOCK_SM);
RINGSIDE_EQUAL(nvml::kClockMemory, NVML_CLOCK_MEM);
RINGSIDE_EQUAL(nvml::kTemperatureGpu, NVML_TEMPERATURE_GPU);
RINGSIDE_EQUAL(nvml::kThresholdSlowdown, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN);
RINGSIDE_EQUAL(nvml::kEnabled, NVML_FEATURE_ENABLED);
RINGSIDE_EQUAL(nvml::kEccUncorrected, NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
RINGSIDE_EQUAL(nvml::kEccVolatile, NVML_VOLATILE_ECC);
static_assert(nvml::kMostLinks >= NVML_NVLINK_MAX_LINKS);
RINGSIDE_EQUAL(nvml::kFieldEccCorrected, NVML_FI_DEV_ECC_SBE_VOL_TOTAL);
RINGSIDE_EQUAL(nvml::kFieldEccUncorrected, NVML_FI_DEV_ECC_DBE_VOL_TOTAL);
RINGSIDE_EQUAL(nvml::kFieldRetiredCorrected, NVML_FI_DEV_RETIRED_SBE);
RINGSIDE_EQUAL(nvml::kFieldRetiredUncorrected, NVML_FI_DEV_RETIRED_DBE);
RINGSIDE_EQUAL(nvml::kFieldRetiredPending, NVML_FI_DEV_RETIRED_PENDING);
RINGSIDE_EQUAL(nvml::kFieldPowerViolation, NVML_FI_DEV_PERF_POLICY_POWER);
RINGSIDE_EQUAL(nvml::kFieldThermalViolation, NVML_FI_DEV_PERF_POLICY_THERMAL);
RINGSIDE_EQUAL(nvml::kFieldRemappedCorrected, NVML_FI_DEV_REMAPPED_COR);
RINGSIDE_EQUAL(nvml::kFieldRemappedUncorrected, NVML_FI_DEV_REMAPPED_UNC);
RINGSIDE_EQUAL(nvml::kFieldRemapPending, NVML_FI_DEV_REMAPPED_PENDING);
RINGSIDE_EQUAL(nvml::kFieldRemapFailed, NVML_FI_DEV_REMAPPED_FAILURE);
RINGSIDE_EQUAL(nvml::kFieldNvlinkCrcFlits, NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL);
RINGSIDE_EQUAL(nvml::kFieldNvlinkCrcData, NVML_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL);
RINGSIDE_EQUAL(nvml::kFieldNvlinkReplays, NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL);
RINGSIDE_EQUAL(nvml::kFieldNvlinkRecoveries, NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL);
RINGSIDE_EQUAL(nvml::kFieldMemoryTemperature, NVML_FI_DEV_MEMORY_TEMP);
RINGSIDE_EQUAL(nvml::kFieldEnergy, NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION);
RINGSIDE_EQUAL(nvml::kFieldPcieReplays, NVML_FI_DEV_PCIE_REPLAY_COUNTER);
RINGSIDE_EQUAL(nvml::kFieldNvlinkDataTx, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX);
RINGSIDE_EQUAL(nvml::kFieldNvlinkDataRx, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX);
RINGSIDE_EQUAL(nvml::kFieldPowerInstant, NVML_FI_DEV_POWER_INSTANT);
#ifdef NVML_FI_DEV_NVLINK_COUNT_XMIT_BYTES // since CUDA 12.8
RINGSIDE_EQUAL(nvml::kFieldNvlink5TxBytes, NVML_FI_DEV_NVLINK_COUNT_XMIT_BYTES);
RINGSIDE_EQUAL(nvml::kFieldNvlink5RxBytes, NVML_FI_DEV_NVLINK_COUNT_RCV_BYTES);
RINGSIDE_EQUAL(nvml::kFieldNvlink5Recovered, NVML_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS);
RINGSIDE_EQUAL(nvml::kFieldNvlink5NotRecovered, NVML_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS);
RINGSIDE_EQUAL(nvml::kFieldNvlink5EffectiveErrors, NVML_FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS);
RINGSIDE_EQUAL(nvml::kFieldNvlink5SymbolErrors, NVML_FI_DEV_NVLINK_COUNT_SYMBOL_ERRORS);
#endif
#ifdef NVML_FI_DEV_NVLINK_COUNT_EFFECTIVE_BER
RINGSIDE_EQUAL(nvml::kFieldNvlink5EffectiveBer, NVML_FI_DEV_NVLINK_COUNT_EFFECTIVE_BER);
RINGSIDE_EQUAL(nvml::kFieldNvlink5SymbolBer, NVML_FI_DEV_NVLINK_COUNT_SYMBOL_BER);
RINGSIDE_EQUAL(nvml::kBerMantissaShift, NVML_NVLINK_BER_MANTISSA_SHIFT);
RINGSIDE_EQUAL(nvml::kBerMantissaMask, NVML_NVLINK_BER_MANTISSA_WIDTH);
RINGSIDE_EQUAL(nvml::kBerExponentMask, NVML_NVLINK_BER_EXP_WIDTH);
#endif
#ifdef NVML_GPU_FABRIC_UUID_LEN // since CUDA 12.0
RINGSIDE_SAME(nvml::FabricInfo, status, nvmlGpuFabricInfo_t, status);
RINGSIDE_SAME(nvml::FabricInfo, state, nvmlGpuFabricInfo_t, state);
#endif
