// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/json_cursor.h"

#include "import/text.h"
#include "values/parse_number.h"

namespace ringside::importers::kineto {
namespace {

void appendUtf8(std::string& text, std::uint32_t code)
{
    const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    constexpr std::uint32_t kLow = 0x3F;
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | code >> 6U);
        put(0x80U | (code & kLow));
    } else if (code < 0x10000) {
        put(0xE0U | code >> 12U);
        put(0x80U | (code >> 6U & kLow));
        put(0x80U | (code & kLow));
    } else {
        put(0xF0U | code >> 18U);
        put(0x80U | (code >> 12U & kLow));
        put(0x80U | (code >> 6U & kLow));
        put(0x80U | (code & kLow));
    }
}

/// Reads the four digits after "\u" and moves `at` past them.
bool readCode(std::string_view raw, std::size_t& at, std::uint32_t& code)
{
    constexpr std::size_t kDigits = 4;
    if (at + kDigits > raw.size()) {
        return false;
    }
    const auto value = values::parseNumber<std::uint32_t>(raw.substr(at, kDigits), 16);
    code = value.value_or(0);
    at += kDigits;
    return value.has_value();
}

/// Appends the character of a "\u" escape. A pair such as "\uD83D\uDE00" is one character; half a pair is
/// invalid.
void appendCode(std::string& text, std::string_view raw, std::size_t& at)
{
    std::uint32_t code = 0;
    bool good = readCode(raw, at, code);
    if (good && code >= 0xD800 && code < 0xDC00) {
        std::uint32_t low = 0;
        good = raw.substr(at, 2) == "\\u" && readCode(raw, at += 2, low) && low >= 0xDC00 && low < 0xE000;
        code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code < 0xE000) {
        good = false;
    }
    if (!good || code < ' ') {
        text += '?';
    } else {
        appendUtf8(text, code);
    }
}

void appendEscape(std::string& text, std::string_view raw, std::size_t& at)
{
    const char c = at < raw.size() ? raw[at++] : '?';
    switch (c) {
    case 'u':
        appendCode(text, raw, at);
        return;
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        text += ' '; // names must fit on one line
        return;
    default:
        text += c;
    }
}

} // namespace

std::string plainText(std::string_view raw)
{
    std::string text;
    text.reserve(raw.size());
    for (std::size_t at = 0; at < raw.size();) {
        if (raw[at] == '\\') {
            appendEscape(text, raw, ++at);
        } else {
            at = appendCharacter(text, raw, at);
        }
    }
    return text;
}

} // namespace ringside::importers::kineto
