// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/coordinates.h"

#include <array>
#include <cmath>

namespace ringside::gui {
namespace {

/// Returns the least value of 1, 2 or 5 times a power of ten that is not less than `least`.
std::int64_t roundStep(double least)
{
    constexpr double kLargest = 1e17;
    std::int64_t step = 1;
    for (int i = 0; static_cast<double>(step) < std::min(least, kLargest); ++i) {
        constexpr std::array kFactors{2.0, 2.5, 2.0}; // give the steps 1, 2, 5, 10
        step = std::llround(static_cast<double>(step) * kFactors[static_cast<std::size_t>(i) % 3]);
    }
    return step;
}

QString timeText(std::int64_t timeNs, std::int64_t stepNs)
{
    struct Unit {
        double ns;
        const char* name;
    };
    constexpr std::array kUnits{Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}, Unit{1, "ns"}};
    std::size_t unit = 0; // the largest unit in which two ticks differ in three decimals
    while (unit + 1 < kUnits.size() && static_cast<double>(stepNs) < kUnits[unit].ns / 1e3) {
        ++unit;
    }
    const double step = static_cast<double>(stepNs) / kUnits[unit].ns;
    const int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
    return QString::number(static_cast<double>(timeNs) / kUnits[unit].ns, 'f', decimals) + QLatin1Char(' ') +
           QString::fromLatin1(kUnits[unit].name);
}

Interval within(Interval range, const Interval& limits)
{
    const std::int64_t length = range.length();
    if (length >= limits.length()) {
        return limits;
    }
    range.start = std::clamp(range.start, limits.start, limits.end - length);
    return {range.start, range.start + length};
}

} // namespace

double timeToX(std::int64_t timeNs, const Interval& range, double width)
{
    return range.length() == 0
               ? 0.0
               : static_cast<double>(timeNs - range.start) / static_cast<double>(range.length()) * width;
}

std::int64_t xToTime(double x, const Interval& range, double width)
{
    return width <= 0 ? range.start
                      : range.start + std::llround(x / width * static_cast<double>(range.length()));
}

std::int64_t nsPerPixel(const Interval& range, double width)
{
    return std::max<std::int64_t>(1, width < 1 ? range.length()
                                               : std::llround(static_cast<double>(range.length()) / width));
}

Interval zoomed(const Interval& range, double factor, std::int64_t anchorNs, const Interval& limits)
{
    const auto wanted = static_cast<double>(range.length()) * factor;
    const auto least = static_cast<double>(std::min(kNarrowestNs, limits.length()));
    const double length = std::clamp(wanted, least, static_cast<double>(limits.length()));
    const double place = range.length() == 0 ? 0.5
                                             : static_cast<double>(anchorNs - range.start) /
                                                   static_cast<double>(range.length());
    const std::int64_t start = anchorNs - std::llround(place * length);
    return within({start, start + std::llround(length)}, limits);
}

Interval panned(const Interval& range, std::int64_t deltaNs, const Interval& limits)
{
    const std::int64_t delta = std::clamp(deltaNs, -limits.length(), limits.length());
    return within({range.start + delta, range.end + delta}, limits);
}

Interval framed(const Interval& wanted, double margin, const Interval& limits)
{
    const std::int64_t room = std::llround(static_cast<double>(wanted.length()) * margin);
    const std::int64_t lacking =
        (std::max<std::int64_t>(0, kNarrowestNs - (wanted.length() + 2 * room)) + 1) / 2;
    return within({wanted.start - room - lacking, wanted.end + room + lacking}, limits);
}

std::vector<Tick> ticks(const Interval& range, double width, double spacing)
{
    std::vector<Tick> result;
    if (width < 1 || range.length() == 0) {
        return result;
    }
    const std::int64_t step = roundStep(static_cast<double>(range.length()) / width * spacing);
    const std::int64_t rest = range.start % step;
    for (std::int64_t time = rest > 0 ? range.start - rest + step : range.start - rest; time < range.end;
         time += step) {
        result.push_back({time, timeText(time, step)});
    }
    return result;
}

} // namespace ringside::gui
