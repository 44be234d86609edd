// SPDX-License-Identifier: Apache-2.0
// Numbers that stand in texts, and texts without the spaces around them: one way for the collector and all
// readers. No locale, no allocation.
#pragma once
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

namespace ringside::values {

/// The number that `text` begins with, which moves behind it. Null: it begins with none, or with one that T
/// does not hold. Infinities and NaN are no numbers.
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

/// The number that `text` is. Null where there is anything else in it: a unit, a space, a plus sign.
template <class T>
[[nodiscard]] std::optional<T> parseNumber(std::string_view text, int base = 10)
{
    const std::optional<T> value = takeNumber<T>(text, base);
    return text.empty() ? value : std::nullopt;
}

/// Without the spaces, tabs and line ends around it.
[[nodiscard]] inline std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kSpaces = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kSpaces);
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

} // namespace ringside::values
