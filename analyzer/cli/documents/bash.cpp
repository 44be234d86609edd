// SPDX-License-Identifier: Apache-2.0
#include "cli/documents/document.h"
#include "cli/documents/values.h"
#include "cli/option_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside::cli {
namespace {

std::string namesOfCommands(const DocumentedProgram& program)
{
    std::string names;
    for (const DocumentedCommand& each : program.commands) {
        names += fmt::format("{}{}", names.empty() ? "" : " ", each.command->name);
    }
    return names;
}

/// Returns cases such as "report:--format) reply ... ;;": the completion of each option's value.
std::string valueCases(const DocumentedCommand& documented)
{
    std::string text;
    for (const OptionText& option : optionTexts(*documented.app)) {
        if (option.isArgument || option.value.empty()) {
            continue;
        }
        std::string patterns;
        for (const std::string& name : option.names) {
            patterns += fmt::format("{}{}:{}", patterns.empty() ? "" : "|", documented.command->name, name);
        }
        text += !option.choices.empty()
                    ? fmt::format("        {}) words=\"{}\" ;;\n", patterns, fmt::join(option.choices, " "))
                : acceptsPath(option) ? fmt::format("        {}) files=yes ;;\n", patterns)
                                      : fmt::format("        {}) ;;\n", patterns);
    }
    return text;
}

std::string optionCase(const DocumentedCommand& documented)
{
    std::string names;
    for (const OptionText& option : optionTexts(*documented.app)) {
        for (const std::string& name : option.names) {
            names += option.isArgument ? "" : (names.empty() ? "" : " ") + name;
        }
    }
    return fmt::format("        {}) words=\"{}\" ;;\n", documented.command->name, names);
}

constexpr const char* kTemplate =
    R"(# Completion of ringside for bash. Made of the tables of `ringside --help`.
_ringside() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command="" words="" files="" at
    [ "$previous" != = ] || previous=${{COMP_WORDS[COMP_CWORD-2]}}
    [ "$current" != = ] || {{ previous=${{COMP_WORDS[COMP_CWORD-1]}}; current=""; }}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "{commands} --help --version" -- "$current")
        return
    fi
    command=${{COMP_WORDS[1]}}
    if [ "$command" = record ]; then # what follows -- is another command
        for ((at = 2; at < COMP_CWORD; at++)); do
            if [ "${{COMP_WORDS[at]}}" = -- ]; then
                if declare -F _command_offset >/dev/null; then
                    _command_offset $((at + 1))
                else
                    mapfile -t COMPREPLY < <(compgen -A command -A file -- "$current")
                fi
                return
            fi
        done
    fi
    case $command:$previous in
{values}        *)
            files=yes
            case $current in
            -*)
                files=""
                case $command in
{options}                esac ;;
            esac ;;
    esac
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    elif [ -n "$files" ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}}
complete -F _ringside ringside
)";

} // namespace

std::string bashCompletion(const DocumentedProgram& program)
{
    std::string values;
    std::string options;
    for (const DocumentedCommand& each : program.commands) {
        values += valueCases(each);
        options += optionCase(each);
    }
    return fmt::format(kTemplate, fmt::arg("commands", namesOfCommands(program)), fmt::arg("values", values),
                       fmt::arg("options", options));
}

} // namespace ringside::cli
