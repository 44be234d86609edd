// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.h"

#include "values/parse_share.h"

#include <ringside/trace/quantity.h>

#include <fmt/format.h>
#include <sys/types.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace ringside::cli {
namespace {

/// `read` returns the value as the parser shall read it, or null for a text that is refused. The message of
/// the check is the refused text: mistaken_words.cpp makes the sentence.
template <class Read>
CLI::Validator accepting(std::string what, Read read)
{
    const auto check = [read](std::string& text) {
        std::optional<std::string> value = read(text);
        if (!value) {
            return fmt::format("'{}'", text);
        }
        text = std::move(*value);
        return std::string();
    };
    return {check, std::move(what)};
}

template <class Number>
std::optional<std::string> within(std::optional<Number> value, Number least, Number most)
{
    return value && *value >= least && *value <= most ? std::optional(fmt::format("{}", *value))
                                                      : std::nullopt;
}

CLI::Validator wholeNumberOf(std::string what, std::int64_t least, std::int64_t most)
{
    return accepting(std::move(what), [least, most](const std::string& text) {
        return within(values::parseNumber<std::int64_t>(text), least, most);
    });
}

/// The text stays: its owner reads it.
template <class Fits>
CLI::Validator acceptingText(std::string what, Fits fits)
{
    return accepting(std::move(what), [fits](const std::string& text) {
        return fits(text) ? std::optional(text) : std::nullopt;
    });
}

} // namespace

CLI::Validator wholeNumber(std::int64_t least)
{
    return wholeNumberOf(fmt::format("a whole number from {} on", least), least,
                         std::numeric_limits<std::int64_t>::max());
}

CLI::Validator wholeNumber(std::int64_t least, std::int64_t most)
{
    return wholeNumberOf(fmt::format("a whole number from {} to {}", least, most), least, most);
}

CLI::Validator number(double least, double most)
{
    return accepting(fmt::format("a number from {} to {}", least, most),
                     [least, most](const std::string& text) {
                         return within(values::parseNumber<double>(text), least, most);
                     });
}

CLI::Validator percent(double least, double most)
{
    return accepting(
        fmt::format("percent from {} to {}, such as 3 or 3%", least, most),
        [least, most](const std::string& text) { return within(values::parsePercent(text), least, most); });
}

CLI::Validator share(double least, double most)
{
    return accepting(
        fmt::format("a share from {} to {}, such as 0.7 or 70%", least, most),
        [least, most](const std::string& text) { return within(values::parseShare(text), least, most); });
}

CLI::Validator processNumber()
{
    return wholeNumberOf("the number of a process, such as 4711", 1, std::numeric_limits<pid_t>::max());
}

CLI::Validator duration()
{
    return acceptingText("a duration such as 250ms, 30s or 5m",
                         [](const std::string& text) { return trace::parseDuration(text).has_value(); });
}

CLI::Validator size(std::int64_t leastBytes)
{
    constexpr unsigned kMib = 20; // bits
    return acceptingText(
        fmt::format("a size of at least {}M, such as 2G", leastBytes >> kMib),
        [leastBytes](const std::string& text) { return trace::parseSize(text).value_or(0) >= leastBytes; });
}

CLI::Validator orZero(const CLI::Validator& check)
{
    return {[check](std::string& text) { return text == "0" ? std::string() : check(text); },
            check.get_description() + ", or 0"};
}

} // namespace ringside::cli
