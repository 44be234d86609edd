// SPDX-License-Identifier: Apache-2.0
// Durations and sizes as users write them: 250ms, 2s, 5m, 1h; 4096, 64M, 2G. The collector reads them from
// the environment that the command line sets, so both use this parser.
#pragma once
#include "values/parse_number.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace ringside::trace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
};
inline constexpr std::array kDurationUnits{Unit{"ms", 1'000'000}, Unit{"s", 1'000'000'000},
                                           Unit{"m", 60'000'000'000}, Unit{"h", 3'600'000'000'000}};
inline constexpr std::array kSizeUnits{Unit{"", 1}, Unit{"K", std::int64_t{1} << 10},
                                       Unit{"M", std::int64_t{1} << 20}, Unit{"G", std::int64_t{1} << 30},
                                       Unit{"T", std::int64_t{1} << 40}};

/// Parses a positive integer with one of the units. Returns null for any other text, and if the number is too
/// large.
template <class Units>
std::optional<std::int64_t> parseQuantity(std::string_view text, const Units& units)
{
    const auto number = values::takeNumber<std::int64_t>(text);
    if (!number || *number <= 0) {
        return std::nullopt;
    }
    for (const Unit& unit : units) {
        if (unit.name == text && *number <= std::numeric_limits<std::int64_t>::max() / unit.factor) {
            return *number * unit.factor;
        }
    }
    return std::nullopt;
}

/// Returns ns.
inline std::optional<std::int64_t> parseDuration(std::string_view text)
{
    return parseQuantity(text, kDurationUnits);
}
/// Returns bytes. K, M, G and T are powers of 1024.
inline std::optional<std::int64_t> parseSize(std::string_view text)
{
    return parseQuantity(text, kSizeUnits);
}

} // namespace ringside::trace
