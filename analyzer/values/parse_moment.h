// SPDX-License-Identifier: Apache-2.0
// Moments of a run as users write them: 1.25s, 20ms, 300us, 5ns; a number without a unit counts seconds.
#pragma once
#include "values/parse_number.h"

#include <array>
#include <cstdint>

namespace ringside::values {

/// Returns ns; null for any other text, and if 64 bits cannot hold the number.
[[nodiscard]] inline std::optional<std::int64_t> parseMoment(std::string_view text)
{
    struct TimeUnit {
        std::string_view name;
        double ns = 1;
    };
    constexpr std::array kTimeUnits{TimeUnit{"ns", 1}, TimeUnit{"us", 1e3}, TimeUnit{"ms", 1e6},
                                    TimeUnit{"s", 1e9}, TimeUnit{"", 1e9}};
    constexpr double kLatest = 9e18;
    const auto number = takeNumber<double>(text);
    for (const TimeUnit& unit : kTimeUnits) {
        if (number && trimmed(text) == unit.name && std::abs(*number * unit.ns) < kLatest) {
            return std::llround(*number * unit.ns);
        }
    }
    return std::nullopt;
}

} // namespace ringside::values
