// SPDX-License-Identifier: Apache-2.0
#include "cli/mistaken_words.h"

#include "cli/command.h"
#include "cli/option_text.h"
#include "trace/shell_word.h"
#include "values/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

namespace ringside::cli {
namespace {

/// Returns "ringside report", or "ringside".
std::string fullName(const CLI::App& app)
{
    const CLI::App* const parent = app.get_parent();
    return parent != nullptr ? parent->get_name() + " " + app.get_name() : app.get_name();
}

std::string meant(const std::string& nearest)
{
    return nearest.empty() ? "" : fmt::format("Did you mean {}? ", nearest);
}

std::string allCommands(const CLI::App& root)
{
    const std::string list = fmt::format("`{} --help` lists all", root.get_name());
    return hasCommand("record")
               ? list + fmt::format("; `{} record -- COMMAND` records a job.", root.get_name())
               : list + ".";
}

std::vector<std::string> optionNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* const option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

/// Returns the sub-command that was being parsed, or the program if the words stand before it.
const CLI::App& parsedApp(const CLI::App& root)
{
    const auto parsed = root.get_subcommands();
    return parsed.empty() || root.remaining_size() > 0 ? root : *parsed.front();
}

struct RunsGiven {
    std::vector<std::string> paths; ///< those among the words that are existing paths
    std::size_t wanted = 0;
};

RunsGiven runsGiven(const CLI::App& app, const std::vector<std::string>& left)
{
    constexpr std::array<std::string_view, 3> kPlaces{"RUN", "BASE", "NEW"};
    RunsGiven runs;
    for (const CLI::Option* const option : app.get_options()) {
        if (option->get_positional()) {
            runs.paths.insert(runs.paths.end(), option->results().begin(), option->results().end());
            runs.wanted += std::ranges::count(kPlaces, option->get_name()) > 0 ? 1U : 0U;
        }
    }
    runs.paths.insert(runs.paths.end(), left.begin(), left.end());
    std::error_code ignored;
    std::erase_if(runs.paths,
                  [&](const std::string& word) { return !std::filesystem::exists(word, ignored); });
    return runs;
}

/// Returns for example "text, markdown or json".
std::string listOf(const std::vector<std::string>& choices)
{
    return choices.size() == 1
               ? choices.front()
               : fmt::format("{} or {}", fmt::join(choices.begin(), choices.end() - 1, ", "), choices.back());
}

/// Returns an error for a value that is none of an option's choices, or null if the error is another one.
std::optional<Error> unknownChoice(const CLI::App& app)
{
    for (const OptionText& option : optionTexts(app)) {
        const CLI::Option* const parsed = app.get_option_no_throw(option.names.front());
        if (option.choices.empty() || parsed == nullptr) {
            continue;
        }
        for (const std::string& value : parsed->results()) {
            if (std::ranges::find(option.choices, value) == option.choices.end()) {
                const std::string nearest = values::nearestName(value, option.choices);
                return Error(ErrorCode::Usage,
                             fmt::format("{}: {} takes no '{}'", fullName(app), option.names.back(), value),
                             meant(nearest) + "It takes " + listOf(option.choices) + ".");
            }
        }
    }
    return std::nullopt;
}

/// Returns an error for a value that a check of option_values.h refused, or null if the error is another one.
std::optional<Error> refusedValue(const CLI::App& app, const CLI::ParseError& error)
{
    const std::string_view message = error.what();
    for (const OptionText& option : optionTexts(app)) {
        const std::string begin = option.names.back() + ": ";
        if (!option.takes.empty() && message.starts_with(begin + "'")) {
            return Error(ErrorCode::Usage,
                         fmt::format("{}: {} takes no {}", fullName(app), option.names.back(),
                                     message.substr(begin.size())),
                         fmt::format("It takes {}.", option.takes));
        }
    }
    return std::nullopt;
}

/// Returns an error for an option whose value is missing, or null if the error is another one.
std::optional<Error> missingValue(const CLI::App& app, const CLI::ParseError& error)
{
    const std::string_view message = error.what();
    for (const OptionText& option : optionTexts(app)) {
        const std::string& name = option.names.back();
        if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr || option.value.empty() ||
            !message.starts_with(name + ": ")) {
            continue;
        }
        const std::string takes = option.choices.empty() ? option.takes : listOf(option.choices);
        return Error(ErrorCode::Usage, fmt::format("{}: {} needs a value", fullName(app), name),
                     takes.empty() ? fmt::format("Give it as {} {}.", name, option.value)
                                   : fmt::format("It takes {}.", takes));
    }
    return std::nullopt;
}

/// The most common mistake is one run too many.
Error unexpectedWord(const CLI::App& app, const std::vector<std::string>& left)
{
    const auto [runs, wanted] = runsGiven(app, left);
    if (runs.size() > std::max<std::size_t>(wanted, 1)) {
        return {ErrorCode::Usage,
                fmt::format("{} are {} runs, more than {} accepts", fmt::join(runs, " and "),
                            runs.size() == 2 ? "two" : std::to_string(runs.size()), fullName(app)),
                fmt::format("Compare two: ringside diff {} {}", trace::shellWord(runs[0]),
                            trace::shellWord(runs[1]))};
    }
    return {ErrorCode::Usage, fmt::format("{}: unexpected argument '{}'", fullName(app), left.front()),
            fmt::format("`{} --help` lists its arguments.", fullName(app))};
}

} // namespace

Error unknownOption(const CLI::App& app, std::string_view name, std::string_view hint)
{
    return {ErrorCode::Usage, fmt::format("{} has no option {}", fullName(app), name),
            fmt::format("{}`{} --help` lists all.{}{}", meant(values::nearestName(name, optionNames(app))),
                        fullName(app), hint.empty() ? "" : " ", hint)};
}

Error unknownCommand(const CLI::App& root, const std::string& word)
{
    std::vector<std::string> names;
    const auto isListed = [](const CLI::App* command) { return !command->get_group().empty(); };
    for (const CLI::App* const command : root.get_subcommands(isListed)) {
        names.push_back(command->get_name());
    }
    return {ErrorCode::Usage, fmt::format("{} has no command '{}'", root.get_name(), word),
            meant(values::nearestName(word, names)) + allCommands(root)};
}

Error usageError(const CLI::App& root, const CLI::ParseError& error)
{
    const CLI::App& app = parsedApp(root);
    const std::vector<std::string> left = root.remaining(true);
    const auto option = std::ranges::find_if(
        left, [](const std::string& word) { return word.size() > 1 && word.front() == '-' && word != "--"; });
    if (option != left.end()) {
        return unknownOption(app, std::string_view(*option).substr(0, option->find('=')));
    }
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !left.empty()) {
        return unexpectedWord(app, left);
    }
    if (root.get_subcommands().empty()) {
        return {ErrorCode::Usage, fmt::format("{} needs a command", root.get_name()), allCommands(root)};
    }
    if (auto unknown = unknownChoice(app)) {
        return *unknown;
    }
    if (auto refused = refusedValue(app, error)) {
        return *refused;
    }
    if (auto missing = missingValue(app, error)) {
        return *missing;
    }
    return {ErrorCode::Usage, fmt::format("{}: {}", fullName(app), error.what()),
            fmt::format("`{} --help` lists its arguments.", fullName(app))};
}

} // namespace ringside::cli
