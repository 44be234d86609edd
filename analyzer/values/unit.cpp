// SPDX-License-Identifier: Apache-2.0
#include "values/unit.h"

#include "values/text.h"

#include <fmt/format.h>

#include <cmath>

namespace ringside::values {

std::string_view unitName(Unit unit)
{
    constexpr std::string_view kNames[] = {"share", "ns", "bytes", "count", "ratio", "probability"};
    return kNames[static_cast<std::size_t>(unit)];
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
        return fmt::format("{:.2f}", value);
    case Unit::Count:
        break;
    }
    return fmt::format("{:.4g}", value);
}

} // namespace ringside::values
