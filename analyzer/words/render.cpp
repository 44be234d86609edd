// SPDX-License-Identifier: Apache-2.0
#include "words/render.h"

#include "values/number_runs.h"
#include "values/text.h"
#include "words/mark.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ringside::words {
namespace {

std::optional<double> numberOf(const Value& value)
{
    if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
        return static_cast<double>(*whole);
    }
    const auto* const number = std::get_if<double>(&value);
    return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::string sampledTime(double ns)
{
    constexpr double kSecond = 1e9;
    return ns < kSecond ? fmt::format("{:.0f} ms", ns / 1e6) : fmt::format("{:.1f} s", ns / kSecond);
}

std::string versionText(long long hundredths)
{
    return fmt::format("{}.{}", hundredths / 100, hundredths % 100);
}

std::string numberText(Form form, double number)
{
    switch (form) {
    case Form::General:
        return fmt::format("{:g}", number);
    case Form::OneDigit:
        return fmt::format("{:.1f}", number);
    case Form::TwoDigits:
        return fmt::format("{:.2f}", number);
    case Form::ThreeDigits:
        return fmt::format("{:.3f}", number);
    case Form::OneFigure:
        return fmt::format("{:.1g}", number);
    case Form::TwoFigures:
        return fmt::format("{:.2g}", number);
    case Form::Seconds:
        return fmt::format("{:.1f} s", number / 1e9);
    case Form::Milliseconds:
        return values::milliseconds(number);
    case Form::Sampled:
        return sampledTime(number);
    case Form::Duration:
        return values::durationText(std::llround(number));
    case Form::Coarse:
        return values::coarseDuration(std::llround(number));
    case Form::Percent:
        return values::percent(number);
    case Form::WholePercent:
        return fmt::format("{:.0f} %", 100.0 * number);
    case Form::PercentTwoFigures:
        return fmt::format("{:.2g} %", 100.0 * number);
    case Form::Points:
        return values::points(number);
    case Form::Version:
        return versionText(std::llround(100 * number));
    case Form::Bytes:
        return values::byteText(number);
    default:
        return fmt::format("{:.0f}", number);
    }
}

std::string capital(std::string text)
{
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    }
    return text;
}

/// Returns null if the form does not fit the value.
std::optional<std::string> valueText(Form form, const Value& value, const Voice& voice)
{
    switch (infoOf(form).takes) {
    case Takes::Number:
        if (const auto number = numberOf(value)) {
            return numberText(form, *number);
        }
        return std::nullopt;
    case Takes::Name:
        if (const auto* const name = std::get_if<std::string>(&value)) {
            return *name;
        }
        return std::nullopt;
    case Takes::Names:
        if (const auto* const names = std::get_if<std::vector<std::string>>(&value)) {
            return fmt::format("{}", fmt::join(*names, ", "));
        }
        return std::nullopt;
    case Takes::Ranks:
        if (const auto* const ranks = std::get_if<std::vector<std::int64_t>>(&value)) {
            const std::string text = values::rankList(*ranks);
            return form == Form::CapitalRanks ? capital(text) : text;
        }
        return std::nullopt;
    case Takes::Clause:
        if (const auto* const clause = std::get_if<Text>(&value)) {
            const std::string text = render(*clause, voice);
            return form == Form::CapitalClause ? capital(text) : text;
        }
        return std::nullopt;
    }
    return std::nullopt;
}

/// Returns whether a value is one: one rank, one name, a number that shows as 1.
std::optional<bool> isOne(const Value& value)
{
    if (const auto number = numberOf(value)) {
        return *number == 1.0;
    }
    if (const auto* const ranks = std::get_if<std::vector<std::int64_t>>(&value)) {
        return ranks->size() == 1;
    }
    const auto* const names = std::get_if<std::vector<std::string>>(&value);
    return names != nullptr ? std::optional(names->size() == 1) : std::nullopt;
}

std::string_view phraseText(const Phrase& phrase, const Voice& voice)
{
    return voice.imported && !phrase.foreign.empty() ? phrase.foreign
           : voice.period == Period::Step            ? phrase.step
                                                     : phrase.second;
}

const Value* valueOf(const Part& part, std::string_view name)
{
    const auto slot = std::ranges::find(part.filled, name, &Slot::name);
    return slot == part.filled.end() ? nullptr : &slot->value;
}

std::string unfilled(const Mark& mark)
{
    return mark.kind == Mark::Kind::Filled ? fmt::format("{{{}:{}}}", mark.text, infoOf(mark.form).name)
                                           : fmt::format("{{{}}}", mark.text);
}

std::string markText(const Mark& mark, const Part& part, const Voice& voice)
{
    const Value* const value = valueOf(part, mark.text);
    switch (mark.kind) {
    case Mark::Kind::Words:
        return std::string(mark.text);
    case Mark::Kind::Filled:
        return value != nullptr ? valueText(mark.form, *value, voice).value_or(unfilled(mark))
                                : unfilled(mark);
    case Mark::Kind::Choice:
        if (const auto one = value != nullptr ? isOne(*value) : std::nullopt) {
            return std::string(*one ? mark.one : mark.many);
        }
        return unfilled(mark);
    case Mark::Kind::Period:
        return std::string(phraseText(*mark.phrase, voice));
    case Mark::Kind::Unknown:
        return unfilled(mark);
    }
    return {};
}

} // namespace

std::string render(const Text& text, const Voice& voice)
{
    std::string result;
    for (const Part& part : text.parts()) {
        if (part.words == nullptr) {
            result += std::get<std::string>(part.filled.front().value);
            continue;
        }
        for (const Mark& mark : marksOf(part.words->words)) {
            result += markText(mark, part, voice);
        }
    }
    return result;
}

} // namespace ringside::words
