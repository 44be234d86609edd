// SPDX-License-Identifier: Apache-2.0
#include "values/unit.h"

#include "values/text.h"

#include <fmt/format.h>

#include <cmath>

namespace ringside::values {

namespace {

struct UnitWords {
    std::string_view name;
    std::string_view suffix;
};

UnitWords wordsOf(Unit unit)
{
    switch (unit) {
    case Unit::Share:
        return {"share", ""};
    case Unit::Ns:
        return {"ns", "_ns"};
    case Unit::Bytes:
        return {"bytes", "_bytes"};
    case Unit::Count:
        return {"count", ""};
    case Unit::Ratio:
        return {"ratio", ""};
    case Unit::Probability:
        return {"probability", ""};
    case Unit::GigabytesPerSecond:
        return {"GB/s", "_gb_s"};
    case Unit::GigabitsPerSecond:
        return {"Gb/s", "_gbps"};
    case Unit::PerSecond:
        return {"1/s", "_a_second"};
    case Unit::PerMinute:
        return {"1/min", "_a_minute"};
    case Unit::Celsius:
        return {"celsius", "_celsius"};
    case Unit::Hours:
        break;
    }
    return {"hours", "_hours"};
}

/// Formats a ratio. Two decimals would hide small ones, such as error rates.
std::string ratioText(double ratio)
{
    constexpr double kSmall = 0.01;
    return ratio != 0 && std::abs(ratio) < kSmall ? fmt::format("{:.2g}", ratio)
                                                  : fmt::format("{:.2f}", ratio);
}

} // namespace

std::string_view unitName(Unit unit)
{
    return wordsOf(unit).name;
}

std::string_view unitSuffix(Unit unit)
{
    return wordsOf(unit).suffix;
}

std::string valueText(Unit unit, double value)
{
    switch (unit) {
    case Unit::Share:
        return percent(value);
    case Unit::Ns:
        return milliseconds(value);
    case Unit::Bytes:
        return byteText(value);
    case Unit::Probability:
        return value < 1e-4 ? "below 0.0001" : fmt::format("{:.2g}", value);
    case Unit::Ratio:
        return ratioText(value);
    case Unit::GigabytesPerSecond:
        return fmt::format("{:.2f} GB/s", value);
    case Unit::GigabitsPerSecond:
        return fmt::format("{:.4g} Gb/s", value);
    case Unit::PerSecond:
        return fmt::format("{:.4g} a second", value);
    case Unit::PerMinute:
        return fmt::format("{:.4g} a minute", value);
    case Unit::Celsius:
        return fmt::format("{:.4g} degrees Celsius", value);
    case Unit::Hours:
        return fmt::format("{:.4g} h", value);
    case Unit::Count:
        break;
    }
    return fmt::format("{:.4g}", value);
}

} // namespace ringside::values
