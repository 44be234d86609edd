// SPDX-License-Identifier: Apache-2.0
// `ringside mcp RUN...`: answers an agent that speaks the Model Context Protocol on stdin and stdout.
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/run_input.h"
#include "cli/run_report.h"
#include "cli/standard_streams.h"
#include "mcp/server.h"

#include <iostream>
#include <memory>
#include <string>

namespace ringside::cli::command_mcp {
namespace {

struct Options {
    RunPaths runs;
    std::size_t answerBytes = 32768;
    std::uint64_t rowBytes = stretches::kDefaultRowBytes;
};

/// Reads up to the end of a line; of a line that is too long, only so much that the server refuses it.
/// Returns false at the end of the input.
bool readLine(std::string& line)
{
    line.clear();
    int next = 0;
    while ((next = std::cin.get()) != EOF && next != '\n') {
        if (line.size() <= mcp::kLongestLine) {
            line += static_cast<char>(next);
        }
    }
    return next != EOF || !line.empty();
}

int serve(const Options& options)
{
    mcp::Runs runs(options.runs, [&](const std::filesystem::path& path) {
        return *reportOn({{path}, {}, {}, options.rowBytes});
    });
    mcp::Server server(runs, {RINGSIDE_VERSION, options.answerBytes});
    std::string line;
    while (readLine(line)) {
        if (const auto answer = server.answer(line)) {
            printResult(*answer + "\n");
            flushResult();
        }
    }
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->runs,
                   "Runs that the agent may read, and no others: run directories, or files of another tool")
        ->required();
    app.add_option("--answer-bytes", options->answerBytes,
                   "The longest answer; what does not fit is cut, and the answer says what to ask for")
        ->type_name("N")
        ->transform(wholeNumber(4096, 1 << 20))
        ->capture_default_str();
    addMemoryOption(app, options->rowBytes);
    return [options] { return serve(*options); };
}

constexpr std::array<Example, 1> kExamples{{
    {"ringside mcp run.ringside", "The command that an agent's settings name for this run."},
}};

} // namespace

RINGSIDE_COMMAND(mcp, .summary = "Answer an agent over the Model Context Protocol",
                 .group = Group::Understand, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_mcp
