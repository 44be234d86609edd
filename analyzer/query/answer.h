// SPDX-License-Identifier: Apache-2.0
// What SQL over a run answers: rows, or where the SQL is wrong. And its texts: a table, CSV, JSON.
#pragma once
#include "report/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringside::query {

/// Null, or as SQLite has it; a blob is the text "<N bytes>".
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

enum class End : std::uint8_t { Complete, RowLimit, TimeLimit, Cancelled };

/// The SQL cannot be run, in SQLite's words.
struct Mistake {
    std::string what;
    std::optional<std::size_t> offset; ///< of the byte in the SQL; null: of no place in particular
};

struct Answer {
    std::vector<std::string> columns;
    std::vector<std::vector<Value>> rows; ///< each as long as `columns`
    End end = End::Complete;              ///< else `rows` are the first ones
    std::optional<Mistake> mistake;       ///< then there are neither columns nor rows
};

struct Place {
    std::size_t line = 1;
    std::size_t column = 1; ///< in characters, not bytes
};
[[nodiscard]] Place placeOf(std::string_view sql, std::size_t offset);
/// "line 1, column 8: no such column: nonsense"
[[nodiscard]] std::string mistakeText(std::string_view sql, const Mistake& mistake);
/// Why the rows are not all; empty when they are.
[[nodiscard]] std::string endText(const Answer& answer);

/// As in CSV: null is empty, numbers as SQLite prints them.
[[nodiscard]] std::string valueText(const Value& value);
[[nodiscard]] report::Table tableOf(const Answer& answer);
/// An array of objects, a member a column.
[[nodiscard]] std::string jsonOf(const Answer& answer);

} // namespace ringside::query
