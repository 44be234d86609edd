// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include "cli/option_text.h"
#include "cli/reference.h"
#include "cli/terminal.h"
#include "document/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::cli {
namespace {

constexpr std::size_t kColumn = 26; // column of descriptions

/// Returns a name with its description beside or below it.
std::string entry(const std::string& name, std::string_view text)
{
    std::string lines = document::wrap(text, proseWidth(), std::string(kColumn, ' '));
    const std::string heading = "  " + name;
    if (heading.size() + 2 > kColumn) {
        return heading + "\n" + lines;
    }
    return lines.replace(0, heading.size(), heading);
}

std::string commandsOf(Group group)
{
    std::string text;
    for (const Command* const command : all()) {
        text += command->group == group ? entry(std::string(command->name), command->summary) : "";
    }
    return text;
}

std::string optionsText(const CLI::App& app)
{
    std::vector<std::string> headings;
    std::string text;
    const std::vector<OptionText> options = optionTexts(app);
    const auto section = [&](const std::string& heading, const auto& belongs) {
        std::string entries;
        for (const OptionText& option : options) {
            entries += belongs(option) ? entry(headingOf(option), option.description) : "";
        }
        text += entries.empty() ? "" : fmt::format("\n{}:\n{}", heading, entries);
    };
    section("Arguments", [](const OptionText& option) { return option.isArgument; });
    for (const OptionText& option : options) {
        if (!option.isArgument && std::ranges::find(headings, option.group) == headings.end()) {
            headings.push_back(option.group);
        }
    }
    for (const std::string& heading : headings) {
        section(heading,
                [&](const OptionText& option) { return !option.isArgument && option.group == heading; });
    }
    return text;
}

std::string examplesText(std::span<const Example> examples)
{
    std::string text = "\nExamples:\n";
    for (const Example& example : examples) {
        text += fmt::format("  {}\n{}", example.line, document::wrap(example.does, proseWidth(), "      "));
    }
    return text;
}

} // namespace

std::string_view headingOf(Group group)
{
    switch (group) {
    case Group::Record:
        return "Record a job";
    case Group::Understand:
        return "Understand a run";
    case Group::Check:
        return "Check hosts before a run";
    case Group::Convert:
        return "Traces as files";
    case Group::Program:
        return "This program";
    case Group::Hidden:
        break;
    }
    return "";
}

std::string ProgramHelp::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const
{
    std::string text = fmt::format("{}\n\nUsage: {} {}\n", app->get_description(), name, synopsisOf(*app));
    for (const Group group : kGroups) {
        const std::string commands = commandsOf(group);
        text += commands.empty() ? "" : fmt::format("\n{}:\n{}", headingOf(group), commands);
    }
    const bool records = hasCommand("record"); // else it is another program of the same commands
    text += optionsText(*app) + (records ? examplesText(kProgramExamples) : std::string());
    text += "\nExit codes:\n";
    for (const ExitMeaning& exit : kExitMeanings) {
        text += exit.code < kRecordFailed || records ? entry(std::to_string(exit.code), exit.meaning) : "";
    }
    return text + fmt::format("\n`{} COMMAND --help` prints the options of a command.\n", name);
}

std::string CommandHelp::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const
{
    std::string text = fmt::format("{}\n\nUsage: {} {}\n", m_command.summary, name, synopsisOf(*app));
    text += optionsText(*app);
    text += app->get_footer().empty() ? "" : fmt::format("\n{}\n", app->get_footer());
    return text + examplesText(m_command.examples);
}

} // namespace ringside::cli
