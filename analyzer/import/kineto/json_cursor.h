// SPDX-License-Identifier: Apache-2.0
// Walks through JSON text without building a document. Accepts the invalid JSON of real traces: control
// characters and broken UTF-8 in strings, NaN and Infinity, and extra commas. Never recurses, so deep nesting
// is harmless.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ringside::importers::kineto {

/// Number of readable bytes that must follow the text of a cursor, because it reads whole words and blocks.
inline constexpr std::size_t kPadding = 64;

enum class Scan : std::uint8_t {
    Good,
    Incomplete, ///< the text ends inside the value; more text is needed
    Broken      ///< the text is not JSON
};

/// Finds the first quote at or after `at`. Returns `end` if there is none.
[[nodiscard]] inline const char* findQuote(const char* at, const char* end)
{
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
    constexpr std::uint64_t kQuotes = kOnes * '"';
    for (; at < end; at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        word ^= kQuotes;
        if (const std::uint64_t zero = (word - kOnes) & ~word & (kOnes << 7U); zero != 0) {
            at += std::countr_zero(zero) / 8;
            return at < end ? at : end;
        }
    }
    return end;
}

inline constexpr std::size_t kBlockBytes = 64;

/// Positions of certain characters in a block, one bit for each byte.
struct BlockBits {
    std::uint64_t quotes = 0, backslashes = 0, opens = 0, closes = 0;
};

[[nodiscard]] inline BlockBits bitsOf(const char* block)
{
    BlockBits bits;
#ifdef __SSE2__
    constexpr std::size_t kVector = sizeof(__m128i);
    for (std::size_t i = 0; i < kBlockBytes; i += kVector) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
        const auto equal = [i](__m128i bytes, char c) {
            const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
            return static_cast<std::uint64_t>(static_cast<std::uint32_t>(mask)) << i;
        };
        const __m128i curly = _mm_or_si128(text, _mm_set1_epi8('{' - '['));
        bits.quotes |= equal(text, '"');
        bits.backslashes |= equal(text, '\\');
        bits.opens |= equal(curly, '{');
        bits.closes |= equal(curly, '}');
    }
#else
    for (std::size_t i = 0; i < kBlockBytes; ++i) {
        const auto bit = [i](bool set) { return std::uint64_t{set} << i; };
        bits.quotes |= bit(block[i] == '"');
        bits.backslashes |= bit(block[i] == '\\');
        bits.opens |= bit(block[i] == '{' || block[i] == '[');
        bits.closes |= bit(block[i] == '}' || block[i] == ']');
    }
#endif
    return bits;
}

/// Returns a bit for each byte from an opening quote up to, but without, the closing quote.
[[nodiscard]] inline std::uint64_t betweenQuotes(std::uint64_t quotes)
{
    for (unsigned by = 1; by < kBlockBytes; by *= 2) {
        quotes ^= quotes << by;
    }
    return quotes;
}

/// By character: whether it may be part of a number or word. True for printable ASCII except structure.
inline constexpr auto kBelongsToScalar = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = '!'; c < 0x7F; ++c) {
        table[c] = std::string_view(",]}[{\":").find(static_cast<char>(c)) == std::string_view::npos;
    }
    return table;
}();

/// By character: whether it is a quote, a brace or a bracket.
inline constexpr auto kIsStructure = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("\"{}[]")) {
        table[static_cast<unsigned char>(c)] = true;
    }
    return table;
}();

/// A position in JSON text. Does not own the text.
class JsonCursor final {
public:
    /// `text` must be followed by kPadding readable bytes.
    explicit JsonCursor(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    [[nodiscard]] const char* at() const { return m_at; }
    [[nodiscard]] bool ended() const { return m_at >= m_end; }
    [[nodiscard]] char peek() const { return m_at < m_end ? *m_at : '\0'; }
    void step() { ++m_at; }
    void skipSpace()
    {
        if (peek() > ' ') {
            return;
        }
        constexpr std::uint64_t kSpaces =
            0x2020202020202020ULL; // skips eight spaces of indentation at a time
        while (m_at < m_end && (*m_at == ' ' || *m_at == '\n' || *m_at == '\t' || *m_at == '\r')) {
            std::uint64_t word = 0;
            std::memcpy(&word, ++m_at, sizeof word);
            const int same = std::countr_zero(word ^ kSpaces) / 8;
            m_at += same;
        }
        m_at = m_at < m_end ? m_at : m_end;
    }
    /// Returns the result for a missing character: Incomplete at the end of the text, else Broken.
    [[nodiscard]] Scan missing() const { return ended() ? Scan::Incomplete : Scan::Broken; }

    /// Reads a string. `text` becomes what is between its quotes, with escapes.
    Scan string(std::string_view& text)
    {
        if (peek() != '"') {
            return missing();
        }
        const char* const first = m_at + 1;
        if (!skipString(first)) {
            return Scan::Incomplete;
        }
        text = {first, static_cast<std::size_t>(m_at - 1 - first)};
        return Scan::Good;
    }

    /// Reads any value. `text` becomes a string without its quotes, or the unchanged text of another value.
    Scan value(std::string_view& text)
    {
        const char first = peek();
        if (first == '"') {
            return string(text);
        }
        const char* const begin = m_at;
        const Scan result = first == '{' || first == '[' ? skipNested() : skipScalar();
        text = {begin, static_cast<std::size_t>(m_at - begin)};
        return result;
    }

    /// Moves from inside an object to after its end.
    Scan skipRest() { return skipNested(1); }

    /// Reads `"key" :` and stops at the value.
    Scan key(std::string_view& text)
    {
        if (const Scan result = string(text); result != Scan::Good) {
            return result;
        }
        skipSpace();
        if (peek() != ':') {
            return missing();
        }
        step();
        skipSpace();
        return Scan::Good;
    }

private:
    /// Moves from `first`, inside a string, to after its closing quote. Returns false if there is none.
    bool skipString(const char* first)
    {
        for (const char* quote = findQuote(first, m_end); quote < m_end;
             quote = findQuote(quote + 1, m_end)) {
            if (!isEscaped(first, quote)) {
                m_at = quote + 1;
                return true;
            }
        }
        return false;
    }

    static bool isEscaped(const char* first, const char* quote)
    {
        std::size_t backslashes = 0;
        while (quote > first && *--quote == '\\') {
            ++backslashes;
        }
        return backslashes % 2 == 1;
    }

    Scan skipScalar()
    {
        const char* const begin = m_at;
        while (m_at < m_end && kBelongsToScalar[static_cast<unsigned char>(*m_at)]) {
            ++m_at;
        }
        if (ended()) {
            return Scan::Incomplete;
        }
        return m_at > begin ? Scan::Good : Scan::Broken;
    }

    Scan skipNested(std::size_t depth = 0)
    {
        bool inString = false;
        for (;;) {
            if (skipBlocks(depth, inString)) {
                return Scan::Good;
            }
            if (inString) {
                inString = false;
                if (!skipString(m_at)) {
                    return Scan::Incomplete;
                }
                continue;
            }
            while (m_at < m_end && !kIsStructure[static_cast<unsigned char>(*m_at)]) {
                ++m_at;
            }
            if (ended()) {
                return Scan::Incomplete;
            }
            const char c = *m_at++;
            inString = c == '"';
            depth += c == '{' || c == '[' ? 1U : 0U;
            if ((c == '}' || c == ']') && --depth == 0) {
                return Scan::Good;
            }
        }
    }

    /// Does the work of skipNested for blocks without backslashes. Returns true if the value ended there.
    bool skipBlocks(std::size_t& depth, bool& inString)
    {
        while (static_cast<std::size_t>(m_end - m_at) >= kBlockBytes) {
            const BlockBits block = bitsOf(m_at);
            if (block.backslashes != 0) {
                return false;
            }
            const std::uint64_t strings = betweenQuotes(block.quotes) ^ (inString ? ~std::uint64_t{0} : 0);
            const std::uint64_t opens = block.opens & ~strings;
            const std::uint64_t closes = block.closes & ~strings;
            if (static_cast<std::size_t>(std::popcount(closes)) < depth) {
                depth += static_cast<std::size_t>(std::popcount(opens) - std::popcount(closes));
            } else if (const int end = endOfNested(opens, closes, depth); end > 0) {
                m_at += end;
                return true;
            }
            inString = strings >> (kBlockBytes - 1U) != 0;
            m_at += kBlockBytes;
        }
        return false;
    }

    /// Returns the position in the block after the bracket that closes the outermost one; 0 if there is none.
    static int endOfNested(std::uint64_t opens, std::uint64_t closes, std::size_t& depth)
    {
        for (std::uint64_t rest = opens | closes; rest != 0; rest &= rest - 1) {
            depth += (opens & rest & -rest) != 0 ? 1U : 0U;
            if ((closes & rest & -rest) != 0 && --depth == 0) {
                return std::countr_zero(rest) + 1;
            }
        }
        return 0;
    }

    const char* m_at;
    const char* m_end;
};

/// Calls `readValue(key)` for each member of the object at the cursor; it must read the value. Once
/// `isEnough()` is true, the remaining members are skipped.
template <class ReadValue, class IsEnough>
Scan forEachMember(JsonCursor& cursor, const ReadValue& readValue, const IsEnough& isEnough)
{
    cursor.step();
    for (;;) {
        cursor.skipSpace();
        if (cursor.peek() == '}') {
            cursor.step();
            return Scan::Good;
        }
        if (cursor.peek() == ',') {
            cursor.step();
            continue;
        }
        std::string_view key;
        Scan result = cursor.key(key);
        if (result == Scan::Good) {
            result = readValue(key);
        }
        if (result != Scan::Good) {
            return result;
        }
        if (isEnough()) {
            return cursor.skipRest();
        }
    }
}

/// Returns the text of a JSON string: resolves escapes, and replaces control characters and invalid UTF-8 by
/// '?'.
[[nodiscard]] std::string plainText(std::string_view raw);

} // namespace ringside::importers::kineto
