// SPDX-License-Identifier: Apache-2.0
// Shares as users write them: 0.3 is 30%, and 3 percent are 3 or 3%.
#pragma once
#include "values/parse_number.h"

namespace ringside::values {

/// Parses a number of percent, with or without its sign. Returns null for any other text.
[[nodiscard]] inline std::optional<double> parsePercent(std::string_view text)
{
    const std::optional<double> number = takeNumber<double>(text);
    const std::string_view unit = trimmed(text);
    return unit.empty() || unit == "%" ? number : std::nullopt;
}

/// Parses a number; with a percent sign, its hundredth. Returns null for any other text.
[[nodiscard]] inline std::optional<double> parseShare(std::string_view text)
{
    constexpr double kPercent = 100;
    const std::optional<double> number = parsePercent(text);
    return number && trimmed(text).ends_with('%') ? *number / kPercent : number;
}

} // namespace ringside::values
