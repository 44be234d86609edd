// SPDX-License-Identifier: Apache-2.0
// Readings by field number, many at a time.
#include "links.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <climits>

using namespace ringside::nvml;

namespace {

enum class Scope : std::uint8_t {
    Device,  ///< scopeId means nothing
    Links,   ///< the sum over all links
    OneLink, ///< scopeId is a link, or UINT_MAX for the sum over all
};

struct Field {
    unsigned id;
    Reading reading;
    Scope scope;
    double factor; ///< from the script's unit to the field's
    nvmlValueType_t type;
};

constexpr double kMilli = 1000;
constexpr double kNanoseconds = 1e9;
constexpr double kKibibytes = 1.0 / 1024;
constexpr double kMegabytes = 1e-6;
constexpr auto kCount = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
constexpr auto kSmall = NVML_VALUE_TYPE_UNSIGNED_INT;

constexpr std::array<Field, 28> kFields = {
    {{NVML_FI_DEV_ECC_SBE_VOL_TOTAL, Reading::EccCorrected, Scope::Device, 1, kCount},
     {NVML_FI_DEV_ECC_DBE_VOL_TOTAL, Reading::EccUncorrected, Scope::Device, 1, kCount},
     {NVML_FI_DEV_ECC_SBE_AGG_TOTAL, Reading::EccCorrectedAggregate, Scope::Device, 1, kCount},
     {NVML_FI_DEV_ECC_DBE_AGG_TOTAL, Reading::EccUncorrectedAggregate, Scope::Device, 1, kCount},
     {NVML_FI_DEV_RETIRED_SBE, Reading::RetiredPagesCorrected, Scope::Device, 1, kCount},
     {NVML_FI_DEV_RETIRED_DBE, Reading::RetiredPagesUncorrected, Scope::Device, 1, kCount},
     {NVML_FI_DEV_RETIRED_PENDING, Reading::RetiredPagesPending, Scope::Device, 1, kCount},
     {NVML_FI_DEV_PERF_POLICY_POWER, Reading::PowerViolation, Scope::Device, kNanoseconds, kCount},
     {NVML_FI_DEV_PERF_POLICY_THERMAL, Reading::ThermalViolation, Scope::Device, kNanoseconds, kCount},
     {NVML_FI_DEV_REMAPPED_COR, Reading::RowsRemappedCorrected, Scope::Device, 1, kSmall},
     {NVML_FI_DEV_REMAPPED_UNC, Reading::RowsRemappedUncorrected, Scope::Device, 1, kSmall},
     {NVML_FI_DEV_REMAPPED_PENDING, Reading::RowRemapPending, Scope::Device, 1, kSmall},
     {NVML_FI_DEV_REMAPPED_FAILURE, Reading::RowRemapFailed, Scope::Device, 1, kSmall},
     {NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL, Reading::NvLinkCrcFlit, Scope::Links, 1, kCount},
     {NVML_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL, Reading::NvLinkCrcData, Scope::Links, 1, kCount},
     {NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL, Reading::NvLinkReplays, Scope::Links, 1, kCount},
     {NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL, Reading::NvLinkRecoveries, Scope::Links, 1, kCount},
     {NVML_FI_DEV_MEMORY_TEMP, Reading::MemoryTemperature, Scope::Device, 1, kSmall},
     {NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, Reading::Energy, Scope::Device, kMilli, kCount},
     {NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON, Reading::NvLinkSpeed, Scope::Device, kMegabytes, kSmall},
     {NVML_FI_DEV_NVLINK_LINK_COUNT, Reading::NvLinks, Scope::Device, 1, kSmall},
     {NVML_FI_DEV_PCIE_REPLAY_COUNTER, Reading::PcieReplays, Scope::Device, 1, kSmall},
     {NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, Reading::NvLinkTx, Scope::OneLink, kKibibytes, kCount},
     {NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX, Reading::NvLinkRx, Scope::OneLink, kKibibytes, kCount},
     {NVML_FI_DEV_NVLINK_GET_SPEED, Reading::NvLinkSpeed, Scope::OneLink, kMegabytes, kSmall},
     {NVML_FI_DEV_NVLINK_GET_STATE, Reading::NvLinkUp, Scope::OneLink, 1, kSmall},
     {NVML_FI_DEV_POWER_AVERAGE, Reading::Power, Scope::Device, kMilli, kSmall},
     {NVML_FI_DEV_POWER_INSTANT, Reading::Power, Scope::Device, kMilli, kSmall}}};

std::optional<double> valueOf(nvmlDevice_t device, const Field& field, unsigned scope)
{
    if (field.scope == Scope::Device)
        return valueNow(device, field.reading);
    if (field.scope == Scope::Links || scope == UINT_MAX)
        return sumOfLinks(device, field.reading);
    return scope < linkCount(device).value_or(0) ? valueNow(device, field.reading, static_cast<int>(scope))
                                                 : std::nullopt;
}

void fill(nvmlDevice_t device, nvmlFieldValue_t& value)
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    value.timestamp = now.tv_sec * 1'000'000LL + now.tv_nsec / 1000;
    value.latencyUsec = 0;
    value.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
    const auto* field = std::ranges::find(kFields, value.fieldId, &Field::id);
    if (field == kFields.end())
        return;
    const std::optional<double> known = valueOf(device, *field, value.scopeId);
    if (!known.has_value())
        return;
    value.nvmlReturn = NVML_SUCCESS;
    value.valueType = field->type;
    const double scaled = *known * field->factor;
    value.value = {};
    if (field->type == kSmall)
        value.value.uiVal = static_cast<unsigned>(scaled);
    else
        value.value.ullVal = static_cast<unsigned long long>(scaled);
}

} // namespace

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t* values)
{
    return callOn(
        device,
        [&] {
            if (count <= 0)
                return NVML_ERROR_INVALID_ARGUMENT;
            std::for_each_n(values, count, [&](nvmlFieldValue_t& value) { fill(device, value); });
            return NVML_SUCCESS;
        },
        values);
}
