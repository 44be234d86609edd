// SPDX-License-Identifier: Apache-2.0
#include "tool_output/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::tool_output {

std::optional<std::string_view> takeLine(std::string_view& text)
{
    if (text.empty()) {
        return std::nullopt;
    }
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

// A sequence is ESC, '[', parameters, and one letter.
std::string withoutColours(std::string_view text)
{
    constexpr char kEscape = '\x1b';
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != kEscape) {
            plain += text[i];
            continue;
        }
        const std::size_t end = text.find_first_not_of("[0123456789;", i + 1);
        i = end == std::string_view::npos ? text.size() : end;
    }
    return plain;
}

std::string printable(std::string_view text)
{
    constexpr std::size_t kMost = 96;
    std::string result(values::trimmed(text).substr(0, kMost));
    std::ranges::replace_if(
        result, [](char c) { return c < ' ' || c > '~'; }, '?');
    return result;
}

std::optional<std::uint64_t> numberIn(std::string_view text)
{
    constexpr int kHexadecimal = 16;
    const std::string_view word = values::trimmed(text);
    return word.starts_with("0x") ? values::parseNumber<std::uint64_t>(word.substr(2), kHexadecimal)
                                  : values::parseNumber<std::uint64_t>(word);
}

std::optional<double> decimalAtFront(std::string_view text)
{
    std::string_view rest = values::trimmed(text);
    return values::takeNumber<double>(rest);
}

std::string guidIn(std::string_view text)
{
    const std::string_view word = values::trimmed(text);
    const auto number = word.starts_with("0x") ? numberIn(word) : std::nullopt;
    return number && *number != 0 ? fmt::format("0x{:x}", *number) : std::string();
}

} // namespace ringside::tool_output
