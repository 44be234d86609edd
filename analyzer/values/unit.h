// SPDX-License-Identifier: Apache-2.0
// The units of measured values: one list for figures of rules, cells of tables and comparisons.
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

/// Name of the unit in JSON reports: "share", "GB/s".
[[nodiscard]] std::string_view unitName(Unit unit);
/// Suffix of figure names with this unit, "_gb_s". Empty if the text of the value does not repeat the unit.
[[nodiscard]] std::string_view unitSuffix(Unit unit);
/// Text of a value with its unit for users: "12.3 %", "4.56 ms".
[[nodiscard]] std::string valueText(Unit unit, double value);

} // namespace ringside::values
