// SPDX-License-Identifier: Apache-2.0
#include "document/cell.h"

#include "values/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ringside::document {
namespace {

using Kind = NumberStyle::Kind;
using values::Unit;

constexpr double kPercent = 0.01;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Removes the digits at the front of `text`, and returns them without leading zeros.
std::string_view removeDigits(std::string_view& text)
{
    const std::size_t end =
        std::min(text.size(), static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isDigit) -
                                                       text.begin()));
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

bool isTextLess(std::string_view left, std::string_view right)
{
    while (!left.empty() && !right.empty()) {
        if (isDigit(left.front()) && isDigit(right.front())) {
            const std::string_view a = removeDigits(left);
            const std::string_view b = removeDigits(right);
            if (a != b) {
                return a.size() != b.size() ? a.size() < b.size() : a < b;
            }
        } else if (left.front() != right.front()) {
            return left.front() < right.front();
        } else {
            left.remove_prefix(1);
            right.remove_prefix(1);
        }
    }
    return left.empty() && !right.empty();
}

double numberOf(const Cell& cell)
{
    const auto* const whole = std::get_if<std::int64_t>(&cell.value());
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(cell.value());
}

/// Formats a double as JSON does: "1.0" differs from the integer 1.
std::string shortest(double value)
{
    std::string text = fmt::format("{}", value);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::string numberText(const Cell& cell)
{
    const NumberStyle& style = cell.style();
    const double shown = numberOf(cell) / style.divisor;
    switch (style.kind) {
    case Kind::Exact:
        return exactText(cell);
    case Kind::Size:
        return values::byteText(numberOf(cell));
    case Kind::Duration:
        return values::durationText(std::llround(numberOf(cell)));
    case Kind::Significant:
        return fmt::format("{:.{}g}", shown, style.digits);
    case Kind::Fixed:
        break;
    }
    return style.sign ? fmt::format("{:+.{}f}", shown, style.digits)
                      : fmt::format("{:.{}f}", shown, style.digits);
}

} // namespace

Cell::Cell(std::optional<double> value, Unit unit, const NumberStyle& style) : m_unit(unit), m_style(style)
{
    if (value && !std::isnan(*value)) {
        m_value = *value;
    }
}

Cell Cell::absent(std::string reason)
{
    Cell cell;
    cell.m_reason = std::move(reason);
    return cell;
}

Cell Cell::with(std::string remark) &&
{
    m_remark = std::move(remark);
    return std::move(*this);
}

Cell millisecondsCell(std::optional<double> ns, int decimals)
{
    return {ns, Unit::Ns, {.digits = decimals, .divisor = 1e6}};
}

Cell microsecondsCell(std::optional<double> ns, int decimals)
{
    return {ns, Unit::Ns, {.digits = decimals, .divisor = 1e3}};
}

Cell durationCell(std::int64_t ns)
{
    return {static_cast<double>(ns), Unit::Ns, {.kind = Kind::Duration}};
}

Cell shareCell(std::optional<double> share, int decimals)
{
    return {share, Unit::Share, {.digits = decimals, .divisor = kPercent, .suffix = " %"}};
}

Cell sizeCell(std::optional<double> bytes)
{
    return {bytes, Unit::Bytes, {.kind = Kind::Size}};
}

Cell ratioCell(std::optional<double> ratio)
{
    return {ratio, Unit::Ratio, {.digits = 2}};
}

std::string cellText(const Cell& cell)
{
    if (cell.isAbsent()) {
        return "-";
    }
    const std::string text =
        cell.isText() ? std::get<std::string>(cell.value()) : numberText(cell).append(cell.style().suffix);
    return text + cell.remark();
}

std::string exactText(const Cell& cell)
{
    if (const auto* const whole = std::get_if<std::int64_t>(&cell.value())) {
        return fmt::to_string(*whole);
    }
    if (const auto* const value = std::get_if<double>(&cell.value())) {
        return std::isfinite(*value) ? shortest(*value) : "";
    }
    return cell.isText() ? std::get<std::string>(cell.value()) : "";
}

bool isLess(const Cell& left, const Cell& right)
{
    const auto rank = [](const Cell& cell) { return cell.isAbsent() ? 2 : cell.isText() ? 1 : 0; };
    if (rank(left) != rank(right) || left.isAbsent()) {
        return rank(left) < rank(right);
    }
    if (left.isText()) {
        return isTextLess(std::get<std::string>(left.value()), std::get<std::string>(right.value()));
    }
    const auto* const a = std::get_if<std::int64_t>(&left.value());
    const auto* const b = std::get_if<std::int64_t>(&right.value());
    return a != nullptr && b != nullptr ? *a < *b : numberOf(left) < numberOf(right);
}

} // namespace ringside::document
