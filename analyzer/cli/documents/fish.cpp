// SPDX-License-Identifier: Apache-2.0
#include "cli/documents/document.h"
#include "cli/documents/values.h"
#include "cli/option_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside::cli {
namespace {

std::string fishWord(std::string_view text)
{
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' || c == '\\' ? "\\" + std::string(1, c) : std::string(1, c);
    }
    return result + "'";
}

std::string fishOption(std::string_view command, const OptionText& option)
{
    std::string line = fmt::format("complete -c ringside -n '__fish_seen_subcommand_from {}'", command);
    for (const std::string& name : option.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.choices.empty()) {
        line += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    } else if (!option.value.empty()) {
        line += acceptsPath(option) ? " -r -F" : " -x";
    }
    return line + " -d " + fishWord(shortened(option.description)) + "\n";
}

} // namespace

std::string fishCompletion(const DocumentedProgram& program)
{
    std::string text = "# Completion of ringside for fish. Made of the tables of `ringside --help`.\n"
                       "complete -c ringside -n __fish_use_subcommand -f -l help -d 'Print this help'\n"
                       "complete -c ringside -n __fish_use_subcommand -f -l version -d 'Print the version'\n";
    for (const DocumentedCommand& each : program.commands) {
        text += fmt::format("complete -c ringside -n __fish_use_subcommand -f -a {} -d {}\n",
                            each.command->name, fishWord(each.command->summary));
    }
    for (const DocumentedCommand& each : program.commands) {
        for (const OptionText& option : optionTexts(*each.app)) {
            text += option.isArgument ? "" : fishOption(each.command->name, option);
        }
    }
    return text + "complete -c ringside -n '__fish_seen_subcommand_from record' -a "
                  "'(__fish_complete_subcommand --fcs-skip=2)'\n";
}

} // namespace ringside::cli
