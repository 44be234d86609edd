// SPDX-License-Identifier: Apache-2.0
#include "cli/option_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

namespace ringside::cli {
namespace {

constexpr const char* kHeading = "Options"; // heading of options without a group

/// Splits the parser's type, such as "TEXT:{a,b}" or "N:a whole number from 1 to 9", into a name and its
/// check.
std::pair<std::string, std::string> nameAndChecks(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    const std::size_t colon = type.find(':');
    return {type.substr(0, colon), colon == std::string::npos ? "" : type.substr(colon + 1)};
}

std::vector<std::string> choicesOf(const std::string& checks)
{
    if (!checks.starts_with('{') || !checks.ends_with('}')) {
        return {};
    }
    return CLI::detail::split(checks.substr(1, checks.size() - 2), ',');
}

std::vector<std::string> namesOf(const CLI::Option& option)
{
    if (option.get_positional()) {
        return {option.get_name(true, false)};
    }
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    return names;
}

OptionText textOf(const CLI::Option& option)
{
    OptionText text;
    const auto [name, checks] = nameAndChecks(option);
    text.names = namesOf(option);
    text.group = option.get_group() == "Options" ? kHeading : option.get_group();
    text.description = option.get_description();
    text.isArgument = option.get_positional();
    text.isRequired = option.get_required();
    text.isRepeated = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
    if (option.get_expected_max() == 0) {
        return text;
    }
    text.choices = choicesOf(checks);
    text.value = !option.get_option_text().empty() ? option.get_option_text()
                 : text.choices.empty()            ? name
                                                   : fmt::format("{}", fmt::join(text.choices, "|"));
    text.takes = text.choices.empty() ? checks : "";
    text.description += text.takes.empty() ? "" : fmt::format(" ({})", text.takes);
    text.description += text.isRequired && !text.isArgument ? "; required" : "";
    text.description += option.get_default_str().empty() ? "" : "; default: " + option.get_default_str();
    return text;
}

} // namespace

std::vector<OptionText> optionTexts(const CLI::App& app)
{
    std::vector<OptionText> texts;
    for (const CLI::Option* const option : app.get_options()) {
        if (!option->get_group().empty()) {
            texts.push_back(textOf(*option));
        }
    }
    return texts;
}

std::string headingOf(const OptionText& option)
{
    if (option.isArgument) {
        return option.names.front() + (option.isRepeated ? "..." : "");
    }
    const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
    return option.value.empty() ? names : names + " " + option.value;
}

std::string synopsisOf(const CLI::App& app)
{
    std::string text = app.get_subcommands({}).empty() ? "[OPTIONS]" : "COMMAND [OPTIONS]";
    for (const OptionText& option : optionTexts(app)) {
        if (option.isArgument) {
            text += fmt::format(" {}{}{}", option.isRequired ? "" : "[", headingOf(option),
                                option.isRequired ? "" : "]");
        }
    }
    return text;
}

} // namespace ringside::cli
