// SPDX-License-Identifier: Apache-2.0
#include "words/mark.h"

#include <algorithm>
#include <span>

namespace ringside::words {
namespace {

constexpr FormInfo kForms[] = {
#define RINGSIDE_FORM(id, name, takes, shows) {name, Takes::takes, shows},
#include "words/forms.def"
#undef RINGSIDE_FORM
};

constexpr Phrase kPhrases[] = {
#define RINGSIDE_PHRASE(name, step, second, foreign) {name, step, second, foreign},
#include "words/phrases.def"
#undef RINGSIDE_PHRASE
};

std::optional<Form> formOf(std::string_view name)
{
    const auto found = std::ranges::find(kForms, name, &FormInfo::name);
    return found == std::end(kForms) ? std::nullopt
                                     : std::optional(static_cast<Form>(found - std::begin(kForms)));
}

/// `inner` stands between the braces.
Mark markOf(std::string_view inner)
{
    if (const std::size_t bar = inner.find('|'); bar != std::string_view::npos) {
        const std::size_t second = inner.find('|', bar + 1);
        if (second != std::string_view::npos) {
            return {Mark::Kind::Choice,
                    inner.substr(0, bar),
                    {},
                    inner.substr(bar + 1, second - bar - 1),
                    inner.substr(second + 1)};
        }
    } else if (const std::size_t colon = inner.find(':'); colon != std::string_view::npos) {
        if (const auto form = formOf(inner.substr(colon + 1))) {
            return {Mark::Kind::Filled, inner.substr(0, colon), *form};
        }
    } else if (const Phrase* const phrase = findPhrase(inner)) {
        return {.kind = Mark::Kind::Period, .text = inner, .phrase = phrase};
    }
    return {Mark::Kind::Unknown, inner};
}

} // namespace

const FormInfo& infoOf(Form form)
{
    return kForms[static_cast<std::size_t>(form)];
}

const Phrase* findPhrase(std::string_view name)
{
    const auto found = std::ranges::find(kPhrases, name, &Phrase::name);
    return found == std::end(kPhrases) ? nullptr : found;
}

std::vector<Mark> marksOf(std::string_view words)
{
    std::vector<Mark> marks;
    while (!words.empty()) {
        const std::size_t open = std::min(words.find('{'), words.size());
        const std::size_t close = words.find('}', open);
        if (open > 0) {
            marks.push_back({Mark::Kind::Words, words.substr(0, open)});
        }
        if (close == std::string_view::npos) {
            break; // no further mark
        }
        marks.push_back(markOf(words.substr(open + 1, close - open - 1)));
        words.remove_prefix(close + 1);
    }
    return marks;
}

} // namespace ringside::words
