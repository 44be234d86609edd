// SPDX-License-Identifier: Apache-2.0
// Which bytes of a text form one character, and which texts a terminal or a spreadsheet would interpret.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::trace {

/// Returns whether `second` may follow `lead` (RFC 3629 section 4, which excludes overlong forms, surrogates
/// and values beyond U+10FFFF).
[[nodiscard]] constexpr bool mayFollow(unsigned char lead, unsigned char second)
{
    const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return least <= second && second <= most;
}

/// Returns the length of the UTF-8 sequence at `at` that is not ASCII, or 0 if there is none.
[[nodiscard]] constexpr std::size_t sequenceLength(std::string_view raw, std::size_t at)
{
    const auto lead = static_cast<unsigned char>(raw[at]);
    const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || at + length > raw.size() ||
        !mayFollow(lead, static_cast<unsigned char>(raw[at + 1]))) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if ((static_cast<unsigned char>(raw[at + i]) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    return length;
}

/// Appends a name of a trace, which may have any bytes, as UTF-8: readers of tables refuse or crash at
/// anything else.
inline void appendValid(std::string& out, std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = static_cast<unsigned char>(text[at]) < 0x80 ? 1 : sequenceLength(text, at);
        out += length > 0 ? text.substr(at, length) : "?";
        at += std::max<std::size_t>(length, 1);
    }
}

/// Returns whether XML 1.0 forbids the character (section 2.2): U+FFFE and U+FFFF.
[[nodiscard]] constexpr bool isNoCharacter(std::string_view sequence)
{
    return sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
}

/// Returns whether the character turns the direction of the text around it, so that a line reads as what it
/// is not: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
[[nodiscard]] constexpr bool turnsDirection(std::string_view sequence)
{
    if (sequence == "\xD8\x9C") {
        return true;
    }
    const bool general = sequence.size() == 3 && sequence[0] == '\xE2';
    const auto last = static_cast<unsigned char>(general ? sequence[2] : 0);
    return general &&
           ((sequence[1] == '\x80' && (last == 0x8E || last == 0x8F || (last >= 0xAA && last <= 0xAE))) ||
            (sequence[1] == '\x81' && last >= 0xA6 && last <= 0xA9));
}

/// Returns whether spreadsheets run the text when they open a CSV file that contains it.
[[nodiscard]] constexpr bool isLikeFormula(std::string_view text)
{
    return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

/// Appends the character at `at`. Appends `replacement` instead of invalid UTF-8, of characters that XML
/// forbids, of those that turn the direction of text, and of control characters (of 7 or 8 bits, except those
/// in `kept`). Returns the position after it.
inline std::size_t appendShown(std::string& text, std::string_view raw, std::size_t at, char replacement,
                               std::string_view kept = {})
{
    const auto c = static_cast<unsigned char>(raw[at]);
    const std::size_t length = c < 0x80 ? 1 : sequenceLength(raw, at);
    const bool narrow = c < ' ' || c == 0x7F;
    const bool wide = length == 2 && c == 0xC2 && static_cast<unsigned char>(raw[at + 1]) < 0xA0;
    const bool shown = length > 0 && !wide && !isNoCharacter(raw.substr(at, length)) &&
                       !turnsDirection(raw.substr(at, length)) &&
                       (!narrow || kept.find(raw[at]) != std::string_view::npos);
    text += shown ? raw.substr(at, length) : std::string_view(&replacement, 1);
    return at + std::max<std::size_t>(1, length);
}

/// Applies appendShown to a whole text.
[[nodiscard]] inline std::string shownText(std::string_view raw, char replacement, std::string_view kept = {})
{
    std::string text;
    for (std::size_t at = 0; at < raw.size();) {
        at = appendShown(text, raw, at, replacement, kept);
    }
    return text;
}

} // namespace ringside::trace
