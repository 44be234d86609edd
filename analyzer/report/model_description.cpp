// SPDX-License-Identifier: Apache-2.0
#include "report/model_description.h"

#include "values/parse_number.h"
#include "values/pieces.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace ringside::report {
namespace {

struct NumberWord {
    std::string_view word;
    double ModelDescription::*number;
};
constexpr NumberWord kNumberWords[] = {{"parameters", &ModelDescription::parameters},
                                       {"tokens", &ModelDescription::tokens},
                                       {"layers", &ModelDescription::layers},
                                       {"hidden", &ModelDescription::hidden},
                                       {"sequence", &ModelDescription::sequence}};

[[noreturn]] void refuse(const std::string& message)
{
    throw Error(ErrorCode::Usage, message,
                "Write --model parameters=7B,tokens=4M, for attention also layers=32,hidden=4096,"
                "sequence=4096, and type=fp16 if the matrix products are not in bf16.");
}

/// Returns 0 for what is no number above 0.
double numberOf(std::string_view text)
{
    constexpr std::pair<char, double> kUnits[] = {
        {'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'G', 1e9}, {'T', 1e12}};
    constexpr double kMost = 1e18;
    const auto unit =
        std::ranges::find(kUnits, text.empty() ? ' ' : text.back(), &std::pair<char, double>::first);
    if (unit != std::end(kUnits)) {
        text.remove_suffix(1);
    }
    const double number =
        values::parseNumber<double>(text).value_or(0) * (unit != std::end(kUnits) ? unit->second : 1);
    return number > 0 && number <= kMost ? number : 0;
}

void readPart(std::string_view part, ModelDescription& description)
{
    const auto [word, value] = values::partedBy(part, "=");
    if (const auto precision = flops::precisionOf(value); word == "type" && precision) {
        description.precision = *precision;
        return;
    }
    const auto* const known = std::ranges::find(kNumberWords, word, &NumberWord::word);
    const double number = numberOf(value);
    if (known == std::end(kNumberWords) || number == 0) {
        refuse(fmt::format("'{}' does not describe a model", part));
    }
    description.*known->number = number;
}

} // namespace

double ModelDescription::flopsOfAStep() const
{
    constexpr double kOfAParameter = 6; // 2 forward, 4 backward
    constexpr double kOfAttention = 12; // 2 products of 2 x hidden x sequence forward, twice that backward
    return (kOfAParameter * parameters + kOfAttention * layers * hidden * sequence) * tokens;
}

ModelDescription parseModelDescription(std::string_view text)
{
    ModelDescription description;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        readPart(text.substr(at, comma - at), description);
        at = comma + 1;
    }
    const int ofAttention = (description.layers > 0 ? 1 : 0) + (description.hidden > 0 ? 1 : 0) +
                            (description.sequence > 0 ? 1 : 0);
    if (description.parameters == 0 || description.tokens == 0 || ofAttention % 3 != 0) {
        refuse(fmt::format("'{}' describes a model in part: it needs parameters and tokens, and of layers, "
                           "hidden and sequence all or none",
                           text));
    }
    return description;
}

} // namespace ringside::report
