// SPDX-License-Identifier: Apache-2.0
// Pieces of text that tools print: lines, words, values after a label. All of them are bounds-checked views.
#pragma once
#include "values/parse_number.h"
#include "values/pieces.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::tool_output {

/// Removes the next line from the front of `text`, without its end. Null if nothing is left.
[[nodiscard]] std::optional<std::string_view> takeLine(std::string_view& text);
using values::between;
using values::holds;
using values::partedBy;
using values::takeWord;

/// Returns the text without the escape sequences that colour it on a terminal.
[[nodiscard]] std::string withoutColours(std::string_view text);
/// Returns at most 96 characters, blanks at the ends removed, with '?' for what a terminal must not get.
[[nodiscard]] std::string printable(std::string_view text);

/// Parses a decimal number, or a hexadecimal one after "0x".
[[nodiscard]] std::optional<std::uint64_t> numberIn(std::string_view text);
/// Parses the number that a text begins with, such as "43.21 degrees C".
[[nodiscard]] std::optional<double> decimalAtFront(std::string_view text);
/// Returns "0x" and lower-case digits for a GUID that is written with or without leading zeros; empty if the
/// text is none.
[[nodiscard]] std::string guidIn(std::string_view text);

} // namespace ringside::tool_output
