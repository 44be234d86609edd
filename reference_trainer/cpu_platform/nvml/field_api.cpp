// SPDX-License-Identifier: Apache-2.0
// Readings by field number, many at a time.
#include "links.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>

using namespace ringside::nvml;

namespace {

enum class Scope : std::uint8_t {
    Device,  ///< scopeId is ignored
    Links,   ///< the sum over all links
    OneLink, ///< scopeId is a link, or UINT_MAX for the sum over all
    Ber,     ///< the bit error rate of a link, or with UINT_MAX the worst one; encoded
};

struct Field {
    unsigned id;
    Reading reading;
    Scope scope;
    double factor; ///< from the script's unit to the field's unit
    nvmlValueType_t type;
};

constexpr double kNanoseconds = 1e9;
constexpr double kKibibytes = 1.0 / 1024;
constexpr double kMegabytes = 1e-6;
constexpr auto kCount = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
constexpr auto kSmall = NVML_VALUE_TYPE_UNSIGNED_INT;

constexpr std::array<Field, 30> kFields = {
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
     {NVML_FI_DEV_POWER_INSTANT, Reading::Power, Scope::Device, kMilli, kSmall},
     {NVML_FI_DEV_NVLINK_COUNT_EFFECTIVE_BER, Reading::NvLinkEffectiveBer, Scope::Ber, 1, kCount},
     {NVML_FI_DEV_NVLINK_COUNT_SYMBOL_BER, Reading::NvLinkSymbolBer, Scope::Ber, 1, kCount}}};

// Mantissa x 10^-exponent, of four and eight bits; 0 has the largest exponent.
double encodedBer(double rate)
{
    constexpr double kTen = 10;
    if (rate <= 0)
        return (15U << NVML_NVLINK_BER_MANTISSA_SHIFT) | NVML_NVLINK_BER_EXP_WIDTH;
    const double exponent = std::clamp(-std::floor(std::log10(rate)), 0.0, 254.0);
    const double mantissa = std::clamp(std::round(rate * std::pow(kTen, exponent)), 1.0, 15.0);
    return mantissa * (1U << NVML_NVLINK_BER_MANTISSA_SHIFT) + exponent;
}

std::optional<double> worstOfLinks(nvmlDevice_t device, Reading reading)
{
    std::optional<double> worst;
    for (unsigned link = 0; link < linkCount(device).value_or(0); ++link) {
        const std::optional<double> value = valueNow(device, reading, static_cast<int>(link));
        if (value.has_value())
            worst = std::max(worst.value_or(0), *value);
    }
    return worst;
}

std::optional<double> valueOf(nvmlDevice_t device, const Field& field, unsigned scope)
{
    if (field.scope == Scope::Device)
        return valueNow(device, field.reading);
    if (field.scope == Scope::Ber) {
        const std::optional<double> rate = scope == UINT_MAX
                                               ? worstOfLinks(device, field.reading)
                                               : valueNow(device, field.reading, static_cast<int>(scope));
        return rate.has_value() ? std::optional(encodedBer(*rate)) : std::nullopt;
    }
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
