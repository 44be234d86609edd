// SPDX-License-Identifier: Apache-2.0
#include "cli/documents/document.h"
#include "cli/documents/values.h"
#include "cli/option_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside::cli {
namespace {

/// Quotes a text for _arguments: brackets and colons separate its fields.
std::string zshText(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        result += c == '\''                                       ? "'\\''"
                  : c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" + std::string(1, c)
                                                                  : std::string(1, c);
    }
    return result;
}

std::string zshAction(const OptionText& option)
{
    return !option.choices.empty() ? fmt::format("({})", fmt::join(option.choices, " "))
           : acceptsPath(option)   ? "_files"
                                   : " ";
}

std::string zshOption(const OptionText& option)
{
    std::string text;
    for (const std::string& name : option.names) {
        // With "=", a long option also accepts its value in the same word.
        const std::string value =
            option.value.empty() ? "" : fmt::format(":{}:{}", zshText(option.value), zshAction(option));
        text += fmt::format("            '*{}{}[{}]{}'\n", name,
                            !value.empty() && name.starts_with("--") ? "=" : "",
                            zshText(shortened(option.description)), value);
    }
    return text;
}

/// The line of `record` ends with the words of another command.
std::string zshCommand(const DocumentedCommand& documented)
{
    std::string text = fmt::format("    {})\n        options=(\n", documented.command->name);
    for (const OptionText& option : optionTexts(*documented.app)) {
        text += option.isArgument ? "" : zshOption(option);
    }
    const bool runsJob = documented.command->declareWithJob != nullptr;
    return text + (runsJob ? "            '*::command:_normal'\n" : "            '*:run or file:_files'\n") +
           "        ) ;;\n";
}

} // namespace

std::string zshCompletion(const DocumentedProgram& program)
{
    std::string commands;
    std::string cases;
    for (const DocumentedCommand& each : program.commands) {
        commands += fmt::format("        '{}:{}'\n", each.command->name, zshText(each.command->summary));
        cases += zshCommand(each);
    }
    return fmt::format(R"(#compdef ringside
# Completion of ringside for zsh. Made of the tables of `ringside --help`.
_ringside() {{
    local -a commands options
    commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe -t commands command commands
        return
    fi
    case $words[2] in
{}    esac
    shift words
    (( CURRENT-- ))
    _arguments -S -s $options
}}
if [ "$funcstack[1]" = _ringside ]; then
    _ringside "$@"
else
    compdef _ringside ringside
fi
)",
                       commands, cases);
}

} // namespace ringside::cli
