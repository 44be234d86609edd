// SPDX-License-Identifier: Apache-2.0
// Parses numbers in texts of the kernel. Returns null, never 0, if a number is missing, invalid, or does not
// fit into 64 bits.
#pragma once
#include "values/parse_number.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace ringside::host {

/// Removes the next word from the front of `text`; empty at its end.
inline std::string_view takeWord(std::string_view& text)
{
    const std::size_t begin = text.find_first_not_of(" \t\n");
    text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
    const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
    text.remove_prefix(word.size());
    return word;
}

/// Removes the next complete line; null if none is left.
inline std::optional<std::string_view> takeLine(std::string_view& text)
{
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
}

inline std::optional<std::uint64_t> numberIn(std::string_view word)
{
    return values::parseNumber<std::uint64_t>(word);
}

inline std::optional<std::uint64_t> takeNumberWord(std::string_view& text)
{
    return numberIn(takeWord(text));
}

/// Returns `value` times `factor`, or null if the product does not fit.
inline std::optional<std::uint64_t> times(std::optional<std::uint64_t> value, std::uint64_t factor)
{
    return value && *value <= std::numeric_limits<std::uint64_t>::max() / factor
               ? std::optional(*value * factor)
               : std::nullopt;
}

/// Returns the number after `key` and blanks on a line that begins with `key`.
inline std::optional<std::uint64_t> numberOf(std::string_view text, std::string_view key)
{
    while (const auto line = takeLine(text)) {
        std::string_view rest = *line;
        if (takeWord(rest) == key) {
            return takeNumberWord(rest);
        }
    }
    return std::nullopt;
}

} // namespace ringside::host
