// SPDX-License-Identifier: Apache-2.0
#include "import/text.h"

#include "trace/utf8.h"

namespace ringside::importers {

std::size_t appendCharacter(std::string& text, std::string_view raw, std::size_t at)
{
    return trace::appendShown(text, raw, at, '?');
}

std::string cleanText(std::string_view raw)
{
    constexpr std::size_t kLongest = 4000; // the format's limit is 4096; the last character may exceed this
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
