// SPDX-License-Identifier: Apache-2.0
// A cell of a table: a value with its unit, a text, or no value with a reason. cellText() is the only
// function that formats it; sorting, alignment and filtering use the value.
#pragma once
#include "values/unit.h"

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ringside::document {

/// How a number is formatted.
struct NumberStyle {
    enum class Kind : std::uint8_t {
        Fixed,       ///< `digits` decimals
        Significant, ///< at most `digits` significant digits, without trailing zeros
        Exact,       ///< the shortest text that reads back to the same value
        Size,        ///< bytes, in a suitable unit
        Duration,    ///< ns, in a suitable unit
    };
    Kind kind = Kind::Fixed;
    int digits = 0;
    double divisor = 1; ///< the value is divided by this: 1e6 shows ns as ms
    bool sign = false;  ///< positive numbers get a "+"
    std::string_view suffix = {};
};

class Cell final {
public:
    using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

    Cell() = default; ///< no value, without a reason
    Cell(std::string text) : m_value(std::move(text)) {}
    Cell(std::string_view text) : Cell(std::string(text)) {}
    Cell(const char* text) : Cell(std::string(text)) {}
    template <std::integral Number>
    Cell(Number count) : m_value(static_cast<std::int64_t>(count)), m_style{NumberStyle::Kind::Exact}
    {}
    /// Null and NaN become a cell without a value.
    Cell(std::optional<double> value, values::Unit unit, const NumberStyle& style);

    [[nodiscard]] static Cell absent(std::string reason);
    /// Returns the cell with a remark after the value: " (12.3 %)", "/4". Remarks are shown but not used for
    /// sorting.
    [[nodiscard]] Cell with(std::string remark) &&;

    [[nodiscard]] const Value& value() const { return m_value; }
    [[nodiscard]] bool isText() const { return std::holds_alternative<std::string>(m_value); }
    [[nodiscard]] bool isAbsent() const { return std::holds_alternative<std::monostate>(m_value); }
    [[nodiscard]] values::Unit unit() const { return m_unit; } ///< unit of a number
    [[nodiscard]] const NumberStyle& style() const { return m_style; }
    [[nodiscard]] const std::string& remark() const { return m_remark; }
    /// Why there is no value; may be empty.
    [[nodiscard]] const std::string& reason() const { return m_reason; }

private:
    Value m_value;
    values::Unit m_unit = values::Unit::Count;
    NumberStyle m_style;
    std::string m_remark;
    std::string m_reason;
};

// Common cells. If the header names the unit, the cells do not repeat it.
[[nodiscard]] Cell millisecondsCell(std::optional<double> ns, int decimals = 2); ///< "4.56"
[[nodiscard]] Cell microsecondsCell(std::optional<double> ns, int decimals = 0); ///< "12"
[[nodiscard]] Cell durationCell(std::int64_t ns);                                ///< "12.34 us"
[[nodiscard]] Cell shareCell(std::optional<double> share, int decimals = 1);     ///< "12.3 %"
[[nodiscard]] Cell sizeCell(std::optional<double> bytes);                        ///< "512.0 KiB"
[[nodiscard]] Cell ratioCell(std::optional<double> ratio);                       ///< "0.25"

/// Returns the text of a cell for text, Markdown, HTML and the desktop program; "-" if there is no value.
[[nodiscard]] std::string cellText(const Cell& cell);
/// Returns the plain value in its unit, for CSV; empty if there is no value.
[[nodiscard]] std::string exactText(const Cell& cell);
/// Orders numbers by value, then texts (numbers within texts count by value: "node2" before "node10"), then
/// cells without a value.
[[nodiscard]] bool isLess(const Cell& left, const Cell& right);

} // namespace ringside::document
