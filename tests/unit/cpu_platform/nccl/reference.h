// SPDX-License-Identifier: Apache-2.0
// What collectives must give, computed naively. Inputs are small integers chosen so that every partial result
// is exact in the type, which makes results comparable for equality in whatever order they were combined. The
// exception are averages of floating point values, whose inputs are multiplied by a rounded 1/n.
#pragma once
#include "narrow_float.h"
#include "ranks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace ringside::test {

template <class T>
constexpr bool kIsNarrow = !std::is_arithmetic_v<T>;
/// Relative rounding error of one operation.
template <class T>
constexpr double kUnitRoundoff = 0;
template <>
inline constexpr double kUnitRoundoff<double> = 0x1p-53;
template <>
inline constexpr double kUnitRoundoff<float> = 0x1p-24;
template <>
inline constexpr double kUnitRoundoff<platform::Half> = 0x1p-11;
template <>
inline constexpr double kUnitRoundoff<platform::Bfloat16> = 0x1p-8;
template <>
inline constexpr double kUnitRoundoff<platform::Float8E4m3> = 0x1p-4;
template <>
inline constexpr double kUnitRoundoff<platform::Float8E5m2> = 0x1p-3;

template <class T>
double wide(T value)
{
    if constexpr (kIsNarrow<T>)
        return static_cast<float>(value);
    else
        return static_cast<double>(value);
}

template <class T>
T narrow(double value)
{
    if constexpr (kIsNarrow<T>)
        return T(static_cast<float>(value));
    else
        return static_cast<T>(value);
}

/// 1 to 3; for types with few bits 0 or 1, of which eight sum up exactly.
template <class T>
T input(int rank, std::size_t index)
{
    const std::size_t mixed = static_cast<std::size_t>(rank) * 7 + index * 3;
    return narrow<T>(kIsNarrow<T> ? static_cast<double>(mixed % 2) : static_cast<double>(1 + mixed % 3));
}

template <class T>
std::vector<T> inputs(int rank, std::size_t count)
{
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = input<T>(rank, i);
    return values;
}

/// The exact combination; of integers the average is cut off towards zero.
template <class T>
double combined(ncclRedOp_t op, int ranks, std::size_t index)
{
    double result = wide(input<T>(0, index));
    for (int rank = 1; rank < ranks; ++rank) {
        const double next = wide(input<T>(rank, index));
        if (op == ncclProd)
            result *= next;
        else if (op == ncclMax)
            result = std::max(result, next);
        else if (op == ncclMin)
            result = std::min(result, next);
        else
            result += next;
    }
    if (op != ncclAvg)
        return std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>
                   ? wide(static_cast<T>(static_cast<std::int64_t>(result))) // 3^8 wraps around
                   : result;
    return std::is_integral_v<T> ? std::floor(result / ranks) : result / ranks;
}

template <class T>
bool isRight(T value, double exact, ncclRedOp_t op, int ranks)
{
    const bool rounded = op == ncclAvg && !std::is_integral_v<T>;
    const double tolerance = rounded ? (ranks + 1) * kUnitRoundoff<T> * exact : 0;
    return std::fabs(wide(value) - exact) <= tolerance;
}

template <class T>
void expectCombined(const std::vector<T>& values, std::size_t first, ncclRedOp_t op, int ranks,
                    const std::string& what)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!isRight(values[i], combined<T>(op, ranks, first + i), op, ranks))
            check(false, what + ": value " + std::to_string(i) + " of " + std::to_string(values.size()) +
                             " is " + std::to_string(wide(values[i])) + " and not " +
                             std::to_string(combined<T>(op, ranks, first + i)));
}

template <class T>
bool same(const std::vector<T>& left, const std::vector<T>& right)
{
    return left.size() == right.size() &&
           (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(T)) == 0);
}

} // namespace ringside::test
