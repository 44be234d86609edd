// SPDX-License-Identifier: Apache-2.0
// The result of an SQL statement: rows, or the place of an error; as text table, CSV or JSON.
#pragma once
#include "document/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringside::query {

/// Null, or a value of SQLite; a blob becomes the text "<N bytes>".
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

enum class End : std::uint8_t { Complete, RowLimit, TimeLimit, Cancelled };

/// Why the SQL cannot be run, in SQLite's words.
struct Mistake {
    std::string what;
    std::optional<std::size_t> offset; ///< offset of the byte in the SQL; null: no particular place
};

struct Answer {
    std::vector<std::string> columns;
    std::vector<std::vector<Value>> rows; ///< each as long as `columns`
    End end = End::Complete;              ///< if not Complete, `rows` are only the first ones
    std::optional<Mistake> mistake;       ///< if set, there are neither columns nor rows
};

struct Place {
    std::size_t line = 1;
    std::size_t column = 1; ///< in characters, not bytes
};
[[nodiscard]] Place placeOf(std::string_view sql, std::size_t offset);
/// Returns for example "line 1, column 8: no such column: nonsense".
[[nodiscard]] std::string mistakeText(std::string_view sql, const Mistake& mistake);
/// Returns why rows are missing; empty if none are.
[[nodiscard]] std::string endText(const Answer& answer);

/// Returns the text of CSV: null is empty, numbers as SQLite prints them.
[[nodiscard]] std::string valueText(const Value& value);
[[nodiscard]] document::Table tableOf(const Answer& answer);
/// Returns an array with an object for each row.
[[nodiscard]] std::string jsonOf(const Answer& answer);

} // namespace ringside::query
