// SPDX-License-Identifier: Apache-2.0
// The marks in a template: "{steps:count}" shows a value, "{steps|step|steps}" chooses a word by its amount,
// "{a step}" is a phrase that depends on the analysis (phrases.def).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::words {

/// How a value is shown (forms.def).
enum class Form : std::uint8_t {
#define RINGSIDE_FORM(id, name, takes, shows) id,
#include "words/forms.def"
#undef RINGSIDE_FORM
};

/// The values that a form can show.
enum class Takes : std::uint8_t { Number, Name, Names, Ranks, Clause };

struct FormInfo {
    std::string_view name;
    Takes takes = Takes::Number;
    std::string_view shows; ///< an example
};
[[nodiscard]] const FormInfo& infoOf(Form form);

struct Phrase {
    std::string_view name;    ///< as in the template
    std::string_view step;    ///< with steps
    std::string_view second;  ///< without steps
    std::string_view foreign; ///< replaces both in the report on another tool's trace; empty keeps them
};
[[nodiscard]] const Phrase* findPhrase(std::string_view name); ///< null if there is none

/// A piece of a template.
struct Mark {
    enum class Kind : std::uint8_t { Words, Filled, Choice, Period, Unknown };
    Kind kind = Kind::Words;
    std::string_view text; ///< the words, the name of the slot or of the phrase; of an unknown mark all of it
    Form form = Form::Count;
    std::string_view one = {}, many = {}; ///< of a choice
    const Phrase* phrase = nullptr;
};

/// Splits a template. A mark that cannot be understood is Kind::Unknown.
[[nodiscard]] std::vector<Mark> marksOf(std::string_view words);

} // namespace ringside::words
