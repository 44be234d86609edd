// SPDX-License-Identifier: Apache-2.0
#include "cli/mistaken_words.h"

#include "trace/shell_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <utility>

namespace ringside::cli {
namespace {

/// How many letters must be left out, added, changed, or swapped with their neighbour, to get from a to b.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before;
    std::vector<std::size_t> above(b.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::vector<std::size_t> row(b.size() + 1, i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before = std::exchange(above, std::move(row));
    }
    return above.back();
}

/// "ringside report", or "ringside".
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
    return fmt::format("`{0} --help` lists all; `{0} record -- COMMAND` records a job.", root.get_name());
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

/// What was being parsed: the sub-command, or the program with words that stand before that.
const CLI::App& parsedApp(const CLI::App& root)
{
    const auto parsed = root.get_subcommands();
    return parsed.empty() || root.remaining_size() > 0 ? root : *parsed.front();
}

struct RunsGiven {
    std::vector<std::string> paths; ///< what is there, of all words in places of their own
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

/// A run too many is the usual mistake.
Error unexpectedWord(const CLI::App& app, const std::vector<std::string>& left)
{
    const auto [runs, wanted] = runsGiven(app, left);
    if (runs.size() > std::max<std::size_t>(wanted, 1)) {
        return {ErrorCode::Usage,
                fmt::format("{} are {} runs, more than {} takes", fmt::join(runs, " and "),
                            runs.size() == 2 ? "two" : std::to_string(runs.size()), fullName(app)),
                fmt::format("Compare two: ringside diff {} {}", trace::shellWord(runs[0]),
                            trace::shellWord(runs[1]))};
    }
    return {ErrorCode::Usage,
            fmt::format("{} does not know what to do with '{}'", fullName(app), left.front()),
            fmt::format("`{} --help` tells what it takes.", fullName(app))};
}

} // namespace

std::string nearestName(std::string_view word, const std::vector<std::string>& names)
{
    constexpr std::size_t kLongest = 64; // of a name; the distance costs their product
    std::string nearest;
    std::size_t least = word.size() / 3 + 1;
    for (const std::string& name : names) {
        constexpr std::size_t kTelling = 3; // letters of a beginning, after "--" too
        const bool begins = word.size() >= kTelling && name.starts_with(word);
        const std::size_t distance = begins ? 0 : word.size() > kLongest ? least : editDistance(word, name);
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return nearest;
}

Error unknownOption(const CLI::App& app, std::string_view name, std::string_view hint)
{
    return {ErrorCode::Usage, fmt::format("{} has no option {}", fullName(app), name),
            fmt::format("{}`{} --help` lists all.{}{}", meant(nearestName(name, optionNames(app))),
                        fullName(app), hint.empty() ? "" : " ", hint)};
}

Error unknownCommand(const CLI::App& root, const std::string& word)
{
    std::vector<std::string> names;
    for (const CLI::App* const command : root.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return {ErrorCode::Usage, fmt::format("{} has no command '{}'", root.get_name(), word),
            meant(nearestName(word, names)) + allCommands(root)};
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
    return {ErrorCode::Usage, fmt::format("{}: {}", fullName(app), error.what()),
            fmt::format("`{} --help` tells what it takes.", fullName(app))};
}

} // namespace ringside::cli
