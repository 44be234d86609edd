// SPDX-License-Identifier: Apache-2.0
// Which times of a file are believed. Everything behind the reader adds and subtracts times without a second
// thought; that is safe because no time beyond these limits passes the reader.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace ringside::trace {

/// ns of CLOCK_MONOTONIC, either way: nine years.
inline constexpr std::int64_t kFarthestTimeNs = std::int64_t{1} << 58;
/// ns of clocks that count from 1970, either way: 73 years.
inline constexpr std::int64_t kFarthestDateNs = std::int64_t{1} << 61;

[[nodiscard]] constexpr bool isPlausibleTime(std::int64_t ns, std::int64_t farthest = kFarthestTimeNs)
{
    return ns >= -farthest && ns <= farthest;
}

[[nodiscard]] inline bool arePlausibleTimes(std::span<const std::int64_t> times)
{
    bool plausible = true;
    for (const std::int64_t ns : times) { // without a way out, so that it becomes vector code
        plausible &= isPlausibleTime(ns);
    }
    return plausible;
}

/// Whether a column's value may stand: only columns of times, by their name, are looked at.
template <class Value>
[[nodiscard]] bool isPlausible(std::string_view column, const Value& value)
{
    if constexpr (requires { value.has_value(); }) {
        return !value || isPlausible(column, *value);
    } else if constexpr (std::is_same_v<Value, std::int64_t>) {
        const bool date = column == "realtime_ns" || column == "device_ns";
        return !column.ends_with("_ns") || isPlausibleTime(value, date ? kFarthestDateNs : kFarthestTimeNs);
    } else {
        return true;
    }
}

} // namespace ringside::trace
