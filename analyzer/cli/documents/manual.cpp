// SPDX-License-Identifier: Apache-2.0
#include "cli/documents/document.h"
#include "cli/help.h"
#include "cli/option_text.h"
#include "cli/recording_options.h"
#include "cli/reference.h"
#include "document/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::cli {
namespace {

/// Escapes hyphens, so that they stay minus signs, and a dot that begins a line, so that it is no request.
std::string roff(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        const bool beginsLine = result.empty() || result.back() == '\n';
        result += c == '\\'                               ? "\\e"
                  : c == '-'                              ? "\\-"
                  : beginsLine && (c == '.' || c == '\'') ? "\\&" + std::string(1, c)
                                                          : std::string(1, c);
    }
    return result;
}

/// Wraps prose, so that the source of a page is readable.
std::string prose(std::string_view text)
{
    constexpr std::size_t kWidth = 66; // escapes make lines longer
    std::string lines = roff(document::wrap(text, kWidth, ""));
    lines.pop_back();
    return lines;
}

std::string bold(std::string_view text)
{
    return "\\fB" + roff(text) + "\\fR";
}

std::string heading(const std::string& page, const std::string& date)
{
    std::string upper = page;
    std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
    return fmt::format(".\\\" Made of the tables of `ringside --help`.\n.TH {} 1 {} \"ringside {}\" "
                       "\"Ringside\"\n",
                       roff(upper), date, RINGSIDE_VERSION);
}

std::string section(std::string_view name)
{
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
    return fmt::format(".SH {}\n", roff(upper));
}

/// Returns a name with its description indented below.
std::string item(const std::string& name, std::string_view text)
{
    return fmt::format(".TP\n{}\n{}\n", name, prose(text));
}

/// Returns "-o, --output FILE" with bold names and an italic value.
std::string optionName(const OptionText& option)
{
    if (option.isArgument) {
        return "\\fI" + roff(headingOf(option)) + "\\fR";
    }
    std::string name;
    for (const std::string& each : option.names) {
        name += (name.empty() ? "" : ", ") + bold(each);
    }
    return option.value.empty() ? name : name + " \\fI" + roff(option.value) + "\\fR";
}

std::string synopsis(const std::string& name, const CLI::App& app)
{
    return section("Synopsis") + bold(name) + "\n" + roff(synopsisOf(app)) + "\n";
}

std::string optionSections(const CLI::App& app)
{
    std::string text;
    std::string open;
    std::vector<OptionText> options = optionTexts(app);
    const auto headingFor = [](const OptionText& option) {
        return option.isArgument ? "Arguments" : option.group;
    };
    std::ranges::stable_sort(options, {}, [](const OptionText& option) {
        return option.isArgument ? 0 : option.group == "Options" ? 1 : 2;
    });
    for (const OptionText& option : options) {
        if (headingFor(option) != open) {
            open = headingFor(option);
            text += section(open);
        }
        text += item(optionName(option), option.description);
    }
    return text;
}

std::string examples(std::span<const Example> list)
{
    std::string text;
    for (const Example& example : list) {
        text +=
            fmt::format("{}{}\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", text.empty() ? section("Examples") : ".PP\n",
                        prose(example.does), roff(example.line));
    }
    return text;
}

/// Returns whether a command can end with this code; only `record` ends with 125 to 127.
bool canEndWith(const Command& command, ExitCode code)
{
    const bool runsJob = command.declareWithJob != nullptr;
    switch (code) {
    case kFindings:
        return !command.gate.option.empty();
    case kInconclusive:
        return command.gate.canBeInconclusive || runsJob;
    case kRecordFailed:
    case kNotExecutable:
    case kNotFound:
        return runsJob;
    case kUsage:
    case kUnusable:
        return !runsJob;
    case kPass:
        break;
    }
    return true;
}

std::string exitSection(const Command* command)
{
    std::string text = section("Exit status");
    for (const ExitMeaning& exit : kExitMeanings) {
        if (command == nullptr || canEndWith(*command, exit.code)) {
            const bool gates = command != nullptr && exit.code == kFindings;
            text += item(
                bold(std::to_string(exit.code)),
                gates ? fmt::format("There are findings at or above what {} names.", command->gate.option)
                      : std::string(exit.meaning));
        }
    }
    return text;
}

std::string recordingSection()
{
    std::string text;
    for (const RecordingVariable& variable : kRecordingVariables) {
        text += item(bold(variable.name), fmt::format("See {} of ringside record.", variable.option));
    }
    return text;
}

std::string environmentSection()
{
    std::string text = section("Environment");
    for (const Named& variable : kVariables) {
        text += item(bold(variable.name), variable.meaning);
    }
    return text + recordingSection();
}

std::string filesSection()
{
    std::string text = section("Files");
    for (const Named& file : kFiles) {
        text += item("\\fI" + roff(file.name) + "\\fR", file.meaning);
    }
    return text;
}

std::string reference(std::string_view name)
{
    return fmt::format(".BR {} (1)", roff(name));
}

} // namespace

std::string programManual(const DocumentedProgram& program, const std::string& date)
{
    std::string text = heading("ringside", date);
    text += section("Name") + "ringside \\- find out why distributed training is slower than its GPUs\n";
    text += synopsis("ringside", *program.app);
    text += section("Commands");
    for (const Group group : kGroups) {
        text += fmt::format(".SS {}\n", roff(headingOf(group)));
        for (const DocumentedCommand& each : program.commands) {
            text +=
                each.command->group == group
                    ? fmt::format(".TP\n{}\n{}\n", reference("ringside-" + std::string(each.command->name)),
                                  roff(each.command->summary))
                    : "";
        }
    }
    return text + optionSections(*program.app) + exitSection(nullptr) + environmentSection() +
           filesSection() + examples(kProgramExamples);
}

std::string commandManual(const DocumentedCommand& documented, const std::string& date)
{
    const Command& command = *documented.command;
    const std::string page = fmt::format("ringside-{}", command.name);
    std::string text = heading(page, date);
    text += section("Name") + fmt::format("{} \\- {}\n", roff(page), roff(command.summary));
    text += synopsis(fmt::format("ringside {}", command.name), *documented.app);
    text += optionSections(*documented.app);
    if (const std::string& footer = documented.app->get_footer(); !footer.empty()) {
        text += section("Notes") + ".nf\n" + roff(footer) + "\n.fi\n";
    }
    text += exitSection(&command);
    if (command.group == Group::Record) {
        text += environmentSection();
    }
    return text + examples(command.examples) + section("See also") + reference("ringside") + "\n";
}

} // namespace ringside::cli
