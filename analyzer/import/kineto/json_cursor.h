// SPDX-License-Identifier: Apache-2.0
// Walks through JSON without building anything. Takes what real traces hold beside JSON: control characters
// and broken UTF-8 in strings, NaN and Infinity, commas too many. Never recurses, so depth costs nothing.
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

/// Readable bytes behind the text that a cursor walks through: it looks at eight at a time.
inline constexpr std::size_t kPadding = 64;

enum class Scan : std::uint8_t {
    Good,
    Incomplete, ///< the text ends inside: more of it is needed
    Broken      ///< not JSON
};

/// First quote at or behind `at`, or `end`.
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

/// Where in a block certain characters stand, a bit a byte.
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

/// A bit of every byte from an opening quote to before the closing one.
[[nodiscard]] inline std::uint64_t betweenQuotes(std::uint64_t quotes)
{
    for (unsigned by = 1; by < kBlockBytes; by *= 2) {
        quotes ^= quotes << by;
    }
    return quotes;
}

/// By character: printable ASCII but for what ends or begins something.
inline constexpr auto kBelongsToScalar = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = '!'; c < 0x7F; ++c) {
        table[c] = std::string_view(",]}[{\":").find(static_cast<char>(c)) == std::string_view::npos;
    }
    return table;
}();

/// By character: quotes, braces and brackets.
inline constexpr auto kIsStructure = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("\"{}[]")) {
        table[static_cast<unsigned char>(c)] = true;
    }
    return table;
}();

class JsonCursor final {
public:
    /// `text` is followed by kPadding readable bytes.
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
        constexpr std::uint64_t kSpaces = 0x2020202020202020ULL; // indentation comes in rows
        while (m_at < m_end && (*m_at == ' ' || *m_at == '\n' || *m_at == '\t' || *m_at == '\r')) {
            std::uint64_t word = 0;
            std::memcpy(&word, ++m_at, sizeof word);
            const int same = std::countr_zero(word ^ kSpaces) / 8;
            m_at += same;
        }
        m_at = m_at < m_end ? m_at : m_end;
    }
    /// What a step that needs one more character found instead.
    [[nodiscard]] Scan missing() const { return ended() ? Scan::Incomplete : Scan::Broken; }

    /// A string, as it stands between its quotes.
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

    /// Any value: a string without its quotes, everything else as it stands.
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

    /// From inside an object to behind it.
    Scan skipRest() { return skipNested(1); }

    /// `"key" :`, up to its value.
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
    /// From `first`, inside a string, to behind its quote; false: it does not end.
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

    /// skipNested over blocks without backslashes; true: it ended there.
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

    /// Behind the bracket that closes the outermost one, in bytes of a block; 0: there is none.
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

/// Calls `take(key)` for each member of the object at the cursor; it reads the value. What follows once
/// `isEnough()` is only skipped.
template <class Take, class IsEnough>
Scan forEachMember(JsonCursor& cursor, const Take& take, const IsEnough& isEnough)
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
            result = take(key);
        }
        if (result != Scan::Good) {
            return result;
        }
        if (isEnough()) {
            return cursor.skipRest();
        }
    }
}

/// A string's text: escapes undone, control characters and what is no UTF-8 replaced by '?'.
[[nodiscard]] std::string plainText(std::string_view raw);

} // namespace ringside::importers::kineto
