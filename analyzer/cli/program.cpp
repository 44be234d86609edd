// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include "cli/command.h"
#include "cli/help.h"
#include "cli/interruption.h"
#include "cli/mistaken_words.h"
#include "cli/standard_streams.h"
#include "cli/words.h"
#include "output/messages.h"
#include "trace/utf8.h"

#include <ringside/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using ringside::cli::Words;

/// The words of `ringside record ...`. Those of the job never pass through the argument parser, which
/// interprets brackets and other syntax: they must stay byte for byte the same.
struct SplitWords {
    Words ours;
    Words job; ///< the words after `--`, or from the first word on that is no option
};

constexpr std::string_view kOptionsOfTheJob =
    "Options of your command come after it: ringside record -- COMMAND OPTIONS.";

bool isOption(const std::string& word)
{
    return word.size() > 1 && word.front() == '-';
}

/// Returns "--output" for "--output=x" and "-o" for "-ox".
std::string nameOf(const std::string& word)
{
    return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

/// Returns the number of words of the option at `at`, itself included. If a value is missing before `--`, the
/// parser reports it.
std::size_t countWords(const CLI::App& app, const Words& words, std::size_t at)
{
    const std::string name = nameOf(words[at]);
    const CLI::Option* const option = app.get_option_no_throw(name);
    if (option == nullptr) {
        throw ringside::cli::unknownOption(app, name, kOptionsOfTheJob);
    }
    const bool holdsValue = words[at].size() > name.size();
    const bool isForgotten = at + 1 < words.size() && words[at + 1] == "--";
    return holdsValue || isForgotten ? 1 : 1 + static_cast<std::size_t>(option->get_items_expected_min());
}

/// `words` are those after the sub-command's name. An option that takes a value also takes the next word.
/// Throws Error (Usage) for an option that `app` does not have.
SplitWords splitJobWords(const CLI::App& app, const Words& words)
{
    std::size_t at = 0;
    while (at < words.size() && words[at] != "--" && isOption(words[at])) {
        at += countWords(app, words, at);
    }
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size()));
    const bool isMarked = end != words.end() && *end == "--";
    return {Words(words.begin(), end), Words(isMarked ? std::next(end) : end, words.end())};
}

using namespace ringside;

/// Returns the command that the first word names, or null.
const cli::Command* commandOf(const cli::Words& words)
{
    const auto all = cli::all();
    const auto found = std::ranges::find_if(
        all, [&](const cli::Command* command) { return !words.empty() && words.front() == command->name; });
    return found != all.end() ? *found : nullptr;
}

/// Removes the job's words from the end of `words`: the parser must not see them.
cli::Words extractJob(const CLI::App& sub, cli::Words& words)
{
    SplitWords split = splitJobWords(sub, {std::next(words.begin()), words.end()});
    words.resize(1);
    std::ranges::move(split.ours, std::back_inserter(words));
    return std::move(split.job);
}

/// The parser reads "[a]" as a list. "./[a]" is the same file and no list.
void guardBrackets(cli::Words& words)
{
    for (std::string& word : words) {
        if (word.starts_with('[') && word.ends_with(']')) {
            word.insert(0, "./");
        }
    }
}

/// Turns "help report" into "report --help".
cli::Words withoutHelpWord(cli::Words words)
{
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        words.resize(std::min<std::size_t>(words.size(), 1));
        words.emplace_back("--help");
    }
    return words;
}

int parseAndRun(const char* name, const cli::Command* asked, cli::Words words)
{
    CLI::App app("Finds out why distributed training is slower than its GPUs.", name);
    app.set_help_flag("-h,--help", "Print this help");
    app.set_version_flag("--version", "ringside " RINGSIDE_VERSION, "Print the version");
    app.require_subcommand(1);
    app.formatter(std::make_shared<cli::ProgramHelp>());
    cli::Words job;
    std::vector<cli::Action> actions; // each owns the variables of its sub-command's options
    const cli::Action* action = nullptr;
    actions.reserve(cli::all().size());
    for (const cli::Command* const command : cli::all()) {
        CLI::App* const sub = app.add_subcommand(std::string(command->name), std::string(command->summary));
        sub->formatter(std::make_shared<cli::CommandHelp>(*command));
        sub->group(std::string(cli::headingOf(command->group)));
        actions.push_back(command->declareWithJob != nullptr ? command->declareWithJob(*sub, job)
                                                             : command->declare(*sub));
        sub->add_flag_callback("-q,--quiet", output::silenceNotes,
                               "Print only warnings and errors on stderr, and no progress");
        if (command == asked) {
            action = &actions.back();
            job = command->declareWithJob != nullptr ? extractJob(*sub, words) : cli::Words();
        }
    }
    if (asked == nullptr && !words.empty() && !words.front().starts_with('-')) {
        throw cli::unknownCommand(app, words.front());
    }
    try {
        guardBrackets(words);
        std::ranges::reverse(words); // the parser expects the reverse order
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
            throw cli::usageError(app, error);
        }
        const int code = app.exit(error); // help or version
        cli::flushResult();
        return code;
    }
    std::optional<cli::Interruption> watched;
    if (asked->declareWithJob == nullptr) { // signals of a job go to the job
        watched.emplace();
    }
    const int code = (*action)();
    cli::flushResult();
    return code;
}

/// Escapes control characters: file names may hold any. Works also if stderr is closed.
void printError(const char* message, const char* hint)
{
    std::fprintf(stderr, "ringside: error: %s\n", trace::shownText(message, ' ', "\n").c_str());
    if (*hint != '\0') {
        std::fprintf(stderr, "  %s\n", trace::shownText(hint, ' ', "\n").c_str());
    }
}

/// Replaces texts of the C++ library by a sentence.
std::string describe(const std::exception& error)
{
    if (const auto* const file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
        return file->path1().string() + ": " + file->code().message();
    }
    if (const auto* const refused = dynamic_cast<const std::system_error*>(&error)) {
        return "system error: " + refused->code().message();
    }
    return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "not enough memory" : error.what();
}

int run(const char* name, const cli::Words& words)
{
    const cli::Command* const asked = commandOf(words);
    const auto failed = [asked](int code) {
        return asked != nullptr && asked->failureCode != 0 ? asked->failureCode : code;
    };
    try {
        return parseAndRun(name, asked, words);
    } catch (const Error& error) {
        printError(error.what(), error.hint.c_str());
        return failed(error.code == ErrorCode::Usage ? cli::kUsage : cli::kUnusable);
    } catch (const std::exception& error) {
        printError(describe(error).c_str(), "");
        return failed(cli::kUnusable);
    }
}

} // namespace

int cli::runProgram(const char* name, int count, char** arguments)
{
    prepareStandardStreams();
    try {
        return run(name, withoutHelpWord({arguments + std::min(count, 1), arguments + count}));
    } catch (const std::exception& error) {
        printError(describe(error).c_str(), "");
        return kUnusable;
    }
}
