// SPDX-License-Identifier: Apache-2.0
#include "conditions/condition.h"
#include "values/parse_number.h"

#include <algorithm>
#include <iterator>

namespace ringside::conditions {
namespace {

std::optional<double> asNumber(std::optional<std::int64_t> value)
{
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::optional<double> gainIn(const Subject& subject, const trace::SeriesMetric& metric, double minutes)
{
    const auto gain = asNumber(subject.gain(metric));
    return gain ? std::optional(*gain / std::max(1.0, minutesOf(subject.sampled()) / minutes)) : std::nullopt;
}

/// A single error proves nothing, so the rate is taken over at least 125 minutes (NVIDIA's cluster bring-up
/// guide).
std::optional<double> bitErrorRate(const Subject& subject, const trace::SeriesMetric& metric)
{
    constexpr double kLeastMinutes = 125;
    constexpr double kNsAMinute = 60e9;
    const auto rate = subject.last("rate_mbps");
    const auto errors = asNumber(subject.gain(metric));
    if (!errors || !rate || *rate <= 0) {
        return std::nullopt;
    }
    const double minutes = std::max(minutesOf(subject.sampled()), kLeastMinutes);
    return *errors / (static_cast<double>(*rate) / 1000.0 * minutes * kNsAMinute);
}

std::optional<double> unscaled(const Subject& subject, const Condition& row, How how)
{
    if (row.more.read != nullptr) {
        return row.more.read(subject);
    }
    if (!row.more.fact.empty()) {
        const std::string_view told = subject.told(row.more.fact);
        return how != How::Told ? values::parseNumber<double>(told)
               : told.empty()   ? std::nullopt
                                : std::optional(1.0);
    }
    switch (how) {
    case How::Told:
        break;
    case How::Last:
        return asNumber(subject.last(row.metric));
    case How::Largest:
        return asNumber(subject.largest(row.metric));
    case How::Gain:
        return asNumber(subject.gain(row.metric));
    case How::GainAnHour:
        return gainIn(subject, row.metric, 60);
    case How::GainAMinute:
        return gainIn(subject, row.metric, 1);
    case How::GainASecond:
        return gainIn(subject, row.metric, 1.0 / 60);
    case How::BitErrorRate:
        return bitErrorRate(subject, row.metric);
    case How::UnratedErrors:
        return subject.last("rate_mbps").value_or(0) > 0 ? std::nullopt : asNumber(subject.gain(row.metric));
    case How::Total:
        return subject.isReadOnce() ? asNumber(subject.last(row.metric)) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<double> valueOf(const Subject& subject, const Condition& row, How how)
{
    const auto value = unscaled(subject, row, how);
    return value ? std::optional(*value * row.more.scale) : std::nullopt;
}

/// Errors are shown as their count, whatever rate they are judged by.
How shownAs(How how)
{
    return how == How::BitErrorRate || how == How::GainAnHour || how == How::GainASecond ? How::Gain : how;
}

double limitOf(const Subject& subject, const Condition& row, const Rung& rung, const Limits& limits)
{
    const double general = rung.option.empty() ? rung.factor : limits(row.rule, rung.option);
    for (const std::string_view fact : row.more.ownLimits) {
        if (const auto own = values::parseNumber<double>(subject.told(fact))) {
            return *own;
        }
    }
    const double own = row.more.ownLimit != nullptr ? row.more.ownLimit(subject, general) : general;
    return rung.option.empty() ? own : own * rung.factor;
}

bool holds(Compare compare, double value, double limit)
{
    switch (compare) {
    case Compare::AtLeast:
        return value >= limit;
    case Compare::Above:
        return value > limit;
    case Compare::AtMost:
        return value <= limit;
    case Compare::Below:
        return value < limit;
    case Compare::Equal:
        return value == limit;
    }
    return false;
}

words::Text whatOf(const Subject& subject, const Condition& row, double value, double limit)
{
    std::vector<words::Slot> slots{
        {"count", value},
        {"value", value},
        {"limit", limit},
        {"quote", row.more.quote == nullptr ? subject.told(row.more.fact) : row.more.quote(subject)}};
    if (row.more.slots != nullptr) {
        std::ranges::copy(row.more.slots(subject), std::back_inserter(slots));
    }
    return words::say(*row.what, slots);
}

} // namespace

std::optional<Read> readingOf(const Subject& subject, const Condition& row, const Limits& limits)
{
    if (row.more.applies != nullptr && !row.more.applies(subject)) {
        return std::nullopt;
    }
    for (auto rung = row.rungs.rbegin(); rung != row.rungs.rend(); ++rung) {
        if (const auto value = valueOf(subject, row, shownAs(rung->how))) {
            return Read{*value, limitOf(subject, row, *rung, limits)};
        }
    }
    return std::nullopt;
}

std::vector<Judged> judge(const Subject& subject, std::span<const Condition> rows, const Limits& limits)
{
    std::vector<Judged> all;
    for (const Condition& row : rows) {
        const auto readsTheSame = [&](const Judged& each) {
            const Details& other = each.condition->more;
            return (row.more.read != nullptr && other.read == row.more.read) ||
                   (!row.more.fact.empty() && other.fact == row.more.fact);
        };
        const auto shown = readingOf(subject, row, limits);
        if (!shown || std::ranges::any_of(all, readsTheSame)) {
            continue;
        }
        for (const Rung& rung : row.rungs) {
            const auto value = valueOf(subject, row, rung.how);
            const double limit = limitOf(subject, row, rung, limits);
            if (value && holds(rung.compare, *value, limit)) {
                all.push_back(
                    {&row, rung.severity, shown->value, limit, whatOf(subject, row, shown->value, limit)});
                break;
            }
        }
    }
    return all;
}

} // namespace ringside::conditions
