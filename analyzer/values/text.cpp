// SPDX-License-Identifier: Apache-2.0
#include "values/text.h"

#include <fmt/format.h>

#include <cmath>

namespace ringside::values {

std::string percent(double share)
{
    return fmt::format("{:.1f} %", 100.0 * share);
}

std::string points(double difference)
{
    return fmt::format("{:.1f} points", 100.0 * difference);
}

std::string milliseconds(double ns)
{
    return fmt::format("{:.2f} ms", ns / 1e6);
}

std::string durationText(std::int64_t ns)
{
    const auto value = static_cast<double>(ns);
    const double size = std::abs(value);
    return size < 1e3   ? fmt::format("{} ns", ns)
           : size < 1e6 ? fmt::format("{:.2f} us", value / 1e3)
           : size < 1e9 ? fmt::format("{:.3f} ms", value / 1e6)
                        : fmt::format("{:.4f} s", value / 1e9);
}

std::string byteText(double bytes)
{
    constexpr double kKibibyte = 1024.0;
    return bytes < kKibibyte               ? fmt::format("{:.0f} B", bytes)
           : bytes < kKibibyte * kKibibyte ? fmt::format("{:.1f} KiB", bytes / kKibibyte)
                                           : fmt::format("{:.2f} MiB", bytes / kKibibyte / kKibibyte);
}

} // namespace ringside::values
