// SPDX-License-Identifier: Apache-2.0
#include "values/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

std::string coarseDuration(std::int64_t ns)
{
    constexpr std::int64_t kMillisecond = 1'000'000;
    constexpr std::int64_t kSecond = 1000 * kMillisecond;
    constexpr std::int64_t kMinute = 60 * kSecond;
    ns = std::max<std::int64_t>(ns, 0);
    if (ns < kSecond) {
        return fmt::format("{} ms", ns / kMillisecond);
    }
    if (ns < 10 * kSecond) {
        return fmt::format("{:.1f} s", static_cast<double>(ns) / static_cast<double>(kSecond));
    }
    if (ns < 2 * kMinute) {
        return fmt::format("{} s", ns / kSecond);
    }
    if (ns < 120 * kMinute) {
        return fmt::format("{} min {} s", ns / kMinute, ns % kMinute / kSecond);
    }
    return fmt::format("{} h {} min", ns / (60 * kMinute), ns / kMinute % 60);
}

std::string byteText(double bytes)
{
    struct SizeUnit {
        const char* name;
        int decimals;
    };
    constexpr std::array<SizeUnit, 5> kUnits{{{"B", 0}, {"KiB", 1}, {"MiB", 2}, {"GiB", 2}, {"TiB", 2}}};
    constexpr double kStep = 1024;
    std::size_t unit = 0;
    while (std::abs(bytes) >= kStep && unit + 1 < kUnits.size()) {
        bytes /= kStep;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", bytes, kUnits[unit].decimals, kUnits[unit].name);
}

} // namespace ringside::values
