// SPDX-License-Identifier: Apache-2.0
// Parses numbers in texts and trims texts, for the collector and all readers. Independent of the locale;
// allocates nothing.
#pragma once
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

namespace ringside::values {

/// Parses the number at the beginning of `text` and removes it from `text`. Returns null if there is no
/// number, or one outside the range of T. Infinities and NaN are not accepted.
template <class T>
[[nodiscard]] std::optional<T> takeNumber(std::string_view& text, [[maybe_unused]] int base = 10)
{
    T value{};
    const char* const last = text.data() + text.size();
    std::from_chars_result result{};
    if constexpr (std::is_integral_v<T>) {
        result = std::from_chars(text.data(), last, value, base);
    } else {
        result = std::from_chars(text.data(), last, value);
        if (!std::isfinite(value)) {
            return std::nullopt;
        }
    }
    if (result.ec != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
    return value;
}

/// Parses a text that is a number as a whole. Returns null if it contains anything else: a unit, a space, a
/// plus sign.
template <class T>
[[nodiscard]] std::optional<T> parseNumber(std::string_view text, int base = 10)
{
    const std::optional<T> value = takeNumber<T>(text, base);
    return text.empty() ? value : std::nullopt;
}

/// Returns the text without leading and trailing spaces, tabs and line ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kSpaces = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kSpaces);
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

} // namespace ringside::values
