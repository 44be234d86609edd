// SPDX-License-Identifier: Apache-2.0
// The units of measured values: one list for the figures of rules, tables and comparisons.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::values {

enum class Unit : std::uint8_t {
    Share,
    Ns,
    Bytes,
    Count,
    Ratio,
    Probability,
    GigabytesPerSecond, ///< 10^9 bytes
    GigabitsPerSecond,
    PerSecond,
    PerMinute,
    Celsius,
    Hours,
};

/// As the JSON report writes it: "share", "GB/s".
[[nodiscard]] std::string_view unitName(Unit unit);
/// What a figure's name ends in for its unit, "_gb_s"; empty: nothing that the text of the value repeats.
[[nodiscard]] std::string_view unitSuffix(Unit unit);
/// A value with its unit, for people: "12.3 %", "4.56 ms".
[[nodiscard]] std::string valueText(Unit unit, double value);

} // namespace ringside::values
