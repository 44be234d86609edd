// SPDX-License-Identifier: Apache-2.0
// Which times of a file are accepted. Code behind the reader adds and subtracts times without checks. This is
// safe because the reader drops times beyond these limits.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace ringside::trace {

/// ns of CLOCK_MONOTONIC in either direction: nine years.
inline constexpr std::int64_t kFarthestTimeNs = std::int64_t{1} << 58;
/// ns of clocks that count from 1970, in either direction: 73 years.
inline constexpr std::int64_t kFarthestDateNs = std::int64_t{1} << 61;

[[nodiscard]] constexpr bool isPlausibleTime(std::int64_t ns, std::int64_t farthest = kFarthestTimeNs)
{
    return ns >= -farthest && ns <= farthest;
}

[[nodiscard]] inline bool arePlausibleTimes(std::span<const std::int64_t> times)
{
    bool plausible = true;
    for (const std::int64_t ns : times) { // has no early exit, so that it is vectorised
        plausible &= isPlausibleTime(ns);
    }
    return plausible;
}

/// Returns whether the value of a column is acceptable. Only columns of times, recognised by name, are
/// checked.
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
