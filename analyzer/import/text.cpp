// SPDX-License-Identifier: Apache-2.0
#include "import/text.h"

#include <algorithm>

namespace ringside::importers {

std::size_t sequenceLength(std::string_view raw, std::size_t at)
{
    const auto lead = static_cast<unsigned char>(raw[at]);
    const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || at + length > raw.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(raw[at + i]) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    return length;
}

std::size_t appendCharacter(std::string& text, std::string_view raw, std::size_t at)
{
    const auto c = static_cast<unsigned char>(raw[at]);
    if (c < 0x80) {
        text += c < ' ' || c == 0x7F ? '?' : static_cast<char>(c);
        return at + 1;
    }
    const std::size_t length = sequenceLength(raw, at);
    text += length == 0 ? std::string_view("?") : raw.substr(at, length);
    return at + std::max<std::size_t>(1, length);
}

std::string cleanText(std::string_view raw)
{
    constexpr std::size_t kLongest = 4000; // FORMAT.md: 4096, and a sequence may be cut
    std::string text;
    for (std::size_t at = 0; at < raw.size() && text.size() < kLongest;) {
        at = appendCharacter(text, raw, at);
    }
    return text;
}

std::uint64_t textHash(std::string_view text)
{
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return hash == 0 ? 1 : hash;
}

} // namespace ringside::importers
