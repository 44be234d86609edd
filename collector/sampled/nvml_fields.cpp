// SPDX-License-Identifier: Apache-2.0
#include "sampled/nvml_fields.h"

#include <limits>

namespace ringside::collector::sampled {

// NVLink counters are those of all links together.
constexpr std::array<NvmlField, 29> kNvmlFields{{
    {nvml::kFieldPowerInstant, 0, trace::SeriesName::PowerInstant},
    {nvml::kFieldEnergy, 0, trace::SeriesName::Energy},
    {nvml::kFieldMemoryTemperature, 0, trace::SeriesName::MemoryTemperature},
    {nvml::kFieldPcieReplays, 0, trace::SeriesName::PcieReplays},
    {nvml::kFieldEccCorrected, 0, trace::SeriesName::EccCorrectedErrors},
    {nvml::kFieldEccUncorrected, 0, trace::SeriesName::EccUncorrectedErrors},
    {nvml::kFieldPowerViolation, 0, trace::SeriesName::PowerViolation},
    {nvml::kFieldThermalViolation, 0, trace::SeriesName::ThermalViolation},
    {nvml::kFieldRetiredCorrected, 0, trace::SeriesName::RetiredPagesCorrected, Often::OnceASecond},
    {nvml::kFieldRetiredUncorrected, 0, trace::SeriesName::RetiredPagesUncorrected, Often::OnceASecond},
    {nvml::kFieldRetiredPending, 0, trace::SeriesName::RetiredPagesPending, Often::OnceASecond},
    {nvml::kFieldRemappedCorrected, 0, trace::SeriesName::RemappedRowsCorrected, Often::OnceASecond},
    {nvml::kFieldRemappedUncorrected, 0, trace::SeriesName::RemappedRowsUncorrected, Often::OnceASecond},
    {nvml::kFieldRemapPending, 0, trace::SeriesName::RowRemapPending, Often::OnceASecond},
    {nvml::kFieldRemapFailed, 0, trace::SeriesName::RowRemapFailed, Often::OnceASecond},
    {nvml::kFieldNvlinkDataTx, nvml::kAllLinks, trace::SeriesName::NvlinkTx},
    {nvml::kFieldNvlinkDataRx, nvml::kAllLinks, trace::SeriesName::NvlinkRx},
    {nvml::kFieldNvlinkCrcFlits, 0, trace::SeriesName::NvlinkCrcFlitErrors},
    {nvml::kFieldNvlinkCrcData, 0, trace::SeriesName::NvlinkCrcDataErrors},
    {nvml::kFieldNvlinkReplays, 0, trace::SeriesName::NvlinkReplays},
    {nvml::kFieldNvlinkRecoveries, 0, trace::SeriesName::NvlinkRecoveries},
    {nvml::kFieldNvlink5TxBytes, nvml::kAllLinks, trace::SeriesName::Nvlink5Tx},
    {nvml::kFieldNvlink5RxBytes, nvml::kAllLinks, trace::SeriesName::Nvlink5Rx},
    {nvml::kFieldNvlink5Recovered, nvml::kAllLinks, trace::SeriesName::Nvlink5Recoveries},
    {nvml::kFieldNvlink5NotRecovered, nvml::kAllLinks, trace::SeriesName::Nvlink5FailedRecoveries},
    {nvml::kFieldNvlink5EffectiveErrors, nvml::kAllLinks, trace::SeriesName::Nvlink5EffectiveErrors},
    {nvml::kFieldNvlink5SymbolErrors, nvml::kAllLinks, trace::SeriesName::Nvlink5SymbolErrors},
    {nvml::kFieldNvlink5EffectiveBer, nvml::kAllLinks, trace::SeriesName::Nvlink5EffectiveBer,
     Often::OnceASecond, true},
    {nvml::kFieldNvlink5SymbolBer, nvml::kAllLinks, trace::SeriesName::Nvlink5SymbolBer, Often::OnceASecond,
     true},
}};

std::optional<std::int64_t> integerIn(const nvml::FieldValue& value)
{
    switch (value.valueType) {
    case nvml::kUnsigned:
        return value.value.natural;
    case nvml::kUnsignedLong:
    case nvml::kUnsignedLongLong:
        return static_cast<std::int64_t>(value.value.count);
    case nvml::kSignedLongLong:
        return value.value.wide;
    case nvml::kSigned:
        return value.value.integer;
    default:
        return std::nullopt;
    }
}

std::int64_t berPer1e18(std::int64_t encoded)
{
    constexpr unsigned kScale = 18;
    constexpr std::int64_t kTen = 10;
    const auto bits = static_cast<std::uint64_t>(encoded);
    auto errors = static_cast<std::int64_t>((bits >> nvml::kBerMantissaShift) & nvml::kBerMantissaMask);
    const auto exponent = static_cast<unsigned>(bits & nvml::kBerExponentMask);
    for (unsigned place = exponent; place < kScale; ++place) {
        if (__builtin_mul_overflow(errors, kTen, &errors)) {
            return std::numeric_limits<std::int64_t>::max();
        }
    }
    for (unsigned place = kScale; place < exponent && errors != 0; ++place) {
        errors /= kTen;
    }
    return errors;
}

} // namespace ringside::collector::sampled
