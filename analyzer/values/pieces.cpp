// SPDX-License-Identifier: Apache-2.0
#include "values/pieces.h"

namespace ringside::values {

std::string_view takeWord(std::string_view& text)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    return word;
}

std::pair<std::string_view, std::string_view> partedBy(std::string_view text, std::string_view mark)
{
    const std::size_t at = text.find(mark);
    return at == std::string_view::npos ? std::pair(text, std::string_view())
                                        : std::pair(text.substr(0, at), text.substr(at + mark.size()));
}

std::string_view between(std::string_view text, std::string_view open, std::string_view close)
{
    const std::string_view rest = partedBy(text, open).second;
    return rest.find(close) == std::string_view::npos ? std::string_view() : partedBy(rest, close).first;
}

bool holds(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

} // namespace ringside::values
