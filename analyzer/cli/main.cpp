// SPDX-License-Identifier: Apache-2.0
// The program `ringside`: finds the sub-command and turns what goes wrong into one message and an exit code.
#include "cli/command.h"
#include "trace/utf8.h"

#include <ringside/error.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace ringside;

struct Declared {
    const cli::Command* command;
    CLI::App* app;
    cli::Action action;
};

/// Of the command that was asked for, `otherwise` where it has none of its own.
int failureCode(const std::vector<Declared>& declared, int otherwise)
{
    for (const Declared& each : declared) {
        if (each.app->parsed() && each.command->failureCode != 0) {
            return each.command->failureCode;
        }
    }
    return otherwise;
}

int parseAndRun(CLI::App& app, const std::vector<Declared>& declared, int count, char** arguments)
{
    try {
        app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? cli::kPass : failureCode(declared, cli::kUsage);
    }
    for (const Declared& each : declared) {
        if (each.app->parsed()) {
            return each.action();
        }
    }
    return cli::kUsage;
}

/// Names of files may hold anything. Works also where stderr is closed.
void printError(const char* message, const char* hint)
{
    std::fprintf(stderr, "ringside: error: %s\n", trace::shownText(message, ' ', "\n").c_str());
    if (*hint != '\0') {
        std::fprintf(stderr, "  %s\n", trace::shownText(hint, ' ', "\n").c_str());
    }
}

int run(int count, char** arguments)
{
    CLI::App app("Finds out why distributed training is slower than its GPUs.", "ringside");
    app.set_version_flag("--version", "ringside " RINGSIDE_VERSION);
    app.require_subcommand(1);
    std::vector<Declared> declared;
    for (const cli::Command* command : cli::all()) {
        CLI::App* const sub = app.add_subcommand(std::string(command->name), std::string(command->summary));
        declared.push_back({command, sub, command->declare(*sub)});
    }
    try {
        return parseAndRun(app, declared, count, arguments);
    } catch (const Error& error) {
        printError(error.what(), error.hint.c_str());
        return failureCode(declared, error.code == ErrorCode::Usage ? cli::kUsage : cli::kUnusable);
    } catch (const std::exception& error) {
        printError(error.what(), "");
        return failureCode(declared, cli::kUnusable);
    }
}

} // namespace

int main(int count, char** arguments)
{
    try {
        return run(count, arguments);
    } catch (const std::exception& error) {
        printError(error.what(), "");
        return cli::kUnusable;
    }
}
