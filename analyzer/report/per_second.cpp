// SPDX-License-Identifier: Apache-2.0
#include "report/per_second.h"

#include <array>
#include <utility>

namespace ringside::report {
namespace {

/// Phrases and their replacements. Longer phrases come before those that they contain.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kWords{{
    {"the step with the most", "the recording, whose sum is of"},
    {"of the step's compute", "of the recorded compute"},
    {"of the step", "of the recorded time"},
    {", in every step", ", all the time"},
    {"In every step", "All the time"},
    {"in every step", "all the time"},
    {"a step sends", "each second sees"},
    {"a step; ", "the recording; "},
    {" a step", " a second"},
    {" per step", " per second"},
}};

void replaceWords(std::string& text);

void replaceWords(words::Text& text)
{
    std::vector<words::Part> parts = text.parts();
    for (words::Part& part : parts) {
        if (part.words == nullptr) {
            replaceWords(std::get<std::string>(part.slots.front().value));
        }
    }
    text = words::Text(std::move(parts));
}

void replaceWords(std::string& text)
{
    for (const auto& [step, second] : kWords) {
        for (std::size_t at = text.find(step); at != std::string::npos; at = text.find(step, at)) {
            text.replace(at, step.size(), second);
            at += second.size();
        }
    }
}

} // namespace

std::string_view periodWord(const model::Model& model)
{
    return model.recordingIsStep() ? "second" : "step";
}

void convertToPerSecond(rules::Finding& finding)
{
    constexpr std::string_view kPerStep = "per_step";
    finding.perSecond = true;
    replaceWords(finding.title);
    for (rules::Evidence& place : finding.evidence) {
        replaceWords(place.what);
    }
    for (rules::Figure& figure : finding.figures) {
        if (const std::size_t at = figure.name.find(kPerStep); at != std::string::npos) {
            figure.name.replace(at, kPerStep.size(), "per_second");
        }
    }
}

} // namespace ringside::report
