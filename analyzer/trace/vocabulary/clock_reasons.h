// SPDX-License-Identifier: Apache-2.0
// Why a GPU's clocks are lower than they could be: the bits of NVML's clock event reasons
// (nvmlClocksEventReason* in nvml.h) that are judged. Series clock_event_reasons holds them.
#pragma once
#include <cstdint>
#include <string_view>

namespace ringside::trace::clock_reasons {

inline constexpr std::int64_t kPowerCap = 0x4; ///< the software's limit of power: normal at full load
inline constexpr std::int64_t kHardwareSlowdown = 0x8;
inline constexpr std::int64_t kSoftwareThermal = 0x20;
inline constexpr std::int64_t kHardwareThermal = 0x40;
inline constexpr std::int64_t kPowerBrake = 0x80; ///< asked for by the power supply
/// Those that a healthy GPU in a healthy machine does not have.
inline constexpr std::int64_t kTrouble =
    kHardwareSlowdown | kSoftwareThermal | kHardwareThermal | kPowerBrake;

/// Returns what holds the clocks down, "heat"; empty if none of `bits` is trouble.
[[nodiscard]] constexpr std::string_view troubleIn(std::int64_t bits)
{
    return (bits & (kSoftwareThermal | kHardwareThermal)) != 0 ? "heat"
           : (bits & kPowerBrake) != 0                         ? "the power supply"
           : (bits & kHardwareSlowdown) != 0                   ? "the hardware"
                                                               : "";
}

} // namespace ringside::trace::clock_reasons
