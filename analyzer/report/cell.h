// SPDX-License-Identifier: Apache-2.0
// A cell of a table: a value with its unit, a text, or nothing with the reason. It becomes text in one place,
// cellText(); whoever sorts, aligns or filters uses the value.
#pragma once
#include "values/unit.h"

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ringside::report {

/// How a number is written.
struct NumberStyle {
    enum class Kind : std::uint8_t {
        Fixed,       ///< `digits` decimals
        Significant, ///< at most `digits` of them, without trailing zeros
        Exact,       ///< as short as it can be read back
        Size,        ///< bytes in the unit that fits
        Duration,    ///< ns in the unit that fits
    };
    Kind kind = Kind::Fixed;
    int digits = 0;
    double divisor = 1; ///< ns shown in ms: 1e6
    bool sign = false;  ///< "+" of positive numbers, too
    std::string_view suffix = {};
};

class Cell final {
public:
    using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

    Cell() = default; ///< nothing, for no particular reason
    Cell(std::string text) : m_value(std::move(text)) {}
    Cell(std::string_view text) : Cell(std::string(text)) {}
    Cell(const char* text) : Cell(std::string(text)) {}
    template <std::integral Number>
    Cell(Number count) : m_value(static_cast<std::int64_t>(count)), m_style{NumberStyle::Kind::Exact}
    {}
    /// Null and NaN are nothing.
    Cell(std::optional<double> value, values::Unit unit, const NumberStyle& style);

    [[nodiscard]] static Cell absent(std::string reason);
    /// The same with words behind the value: " (12.3 %)", "/4". They are shown, not sorted by.
    [[nodiscard]] Cell with(std::string remark) &&;

    [[nodiscard]] const Value& value() const { return m_value; }
    [[nodiscard]] bool isText() const { return std::holds_alternative<std::string>(m_value); }
    [[nodiscard]] bool isAbsent() const { return std::holds_alternative<std::monostate>(m_value); }
    [[nodiscard]] values::Unit unit() const { return m_unit; } ///< of a number
    [[nodiscard]] const NumberStyle& style() const { return m_style; }
    [[nodiscard]] const std::string& remark() const { return m_remark; }
    /// Why there is nothing; may be empty.
    [[nodiscard]] const std::string& reason() const { return m_reason; }

private:
    Value m_value;
    values::Unit m_unit = values::Unit::Count;
    NumberStyle m_style;
    std::string m_remark;
    std::string m_reason;
};

// The usual cells. A header that names the unit spares it in the cells.
[[nodiscard]] Cell millisecondsCell(std::optional<double> ns, int decimals = 2); ///< "4.56"
[[nodiscard]] Cell microsecondsCell(std::optional<double> ns, int decimals = 0); ///< "12"
[[nodiscard]] Cell durationCell(std::int64_t ns);                                ///< "12.34 us"
[[nodiscard]] Cell shareCell(std::optional<double> share, int decimals = 1);     ///< "12.3 %"
[[nodiscard]] Cell sizeCell(std::optional<double> bytes);                        ///< "512.0 KiB"
[[nodiscard]] Cell ratioCell(std::optional<double> ratio);                       ///< "0.25"

/// As text, Markdown, HTML and the desktop program show it; "-" for nothing.
[[nodiscard]] std::string cellText(const Cell& cell);
/// The bare value as CSV holds it, in its unit; empty for nothing.
[[nodiscard]] std::string exactText(const Cell& cell);
/// Numbers by value, then texts with numbers in them by these ("node2" before "node10"), then nothing.
[[nodiscard]] bool isLess(const Cell& left, const Cell& right);

} // namespace ringside::report
