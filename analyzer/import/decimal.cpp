// SPDX-License-Identifier: Apache-2.0
#include "import/decimal.h"

#include "values/parse_number.h"

#include <algorithm>
#include <limits>

namespace ringside::importers {
namespace {

constexpr int kNsDecimals = 3;

/// Returns mantissa * 10^power, rounded down to an integer. Null if it does not fit.
std::optional<std::int64_t> scaled(std::uint64_t mantissa, std::int64_t power)
{
    constexpr std::int64_t kMostDigits = 19; // of 64 bits
    for (; power < 0 && mantissa > 0; ++power) {
        mantissa /= 10;
    }
    for (; power > 0 && mantissa > 0; --power) {
        if (power > kMostDigits || mantissa > std::numeric_limits<std::int64_t>::max() / 10) {
            return std::nullopt;
        }
        mantissa *= 10;
    }
    if (mantissa > std::numeric_limits<std::int64_t>::max()) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(mantissa);
}

struct Digits {
    std::uint64_t mantissa = 0;
    std::int64_t power = 0; ///< power of ten of the mantissa's last digit
    bool any = false;
};

/// Appends a digit. Digits that do not fit into 64 bits are dropped; those before the point raise the power.
void addDigit(Digits& digits, char c, bool fraction)
{
    constexpr std::uint64_t kRoom = (std::numeric_limits<std::uint64_t>::max() - 9) / 10;
    digits.any = true;
    if (digits.mantissa <= kRoom) {
        digits.mantissa = digits.mantissa * 10 + static_cast<std::uint64_t>(c - '0');
        digits.power -= fraction ? 1 : 0;
    } else {
        digits.power += fraction ? 0 : 1;
    }
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

} // namespace

std::optional<std::int64_t> parseMicroseconds(std::string_view text)
{
    const char* at = text.data();
    const char* const end = at + text.size();
    const bool negative = at < end && *at == '-';
    at += negative ? 1 : 0;
    Digits digits;
    for (; at < end && isDigit(*at); ++at) {
        addDigit(digits, *at, false);
    }
    if (at < end && *at == '.') {
        for (++at; at < end && isDigit(*at); ++at) {
            addDigit(digits, *at, true);
        }
    }
    std::int64_t exponent = 0;
    if (digits.any && at < end && (*at == 'e' || *at == 'E')) {
        at += at + 1 < end && at[1] == '+' ? 2 : 1;
        const auto parsed = values::parseNumber<std::int64_t>({at, static_cast<std::size_t>(end - at)});
        constexpr std::int64_t kFarthest = 1000;
        if (!parsed) {
            return std::nullopt;
        }
        exponent = std::clamp(*parsed, -kFarthest, kFarthest);
        at = end;
    }
    if (!digits.any || at != end) {
        return std::nullopt;
    }
    const auto ns = scaled(digits.mantissa, digits.power + exponent + kNsDecimals);
    return ns && negative ? std::optional(-*ns) : ns;
}

} // namespace ringside::importers
