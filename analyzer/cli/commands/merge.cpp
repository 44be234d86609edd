// SPDX-License-Identifier: Apache-2.0
// `ringside merge RUN -o FILE`: writes a run as one file, to store or send.
#include "cli/command.h"
#include "cli/witnesses.h"
#include "output/messages.h"

#include <ringside/trace/merge.h>

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_merge {
namespace {

struct Options {
    std::string run;
    std::string output;
};

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Run directory")->required();
    app.add_option("-o,--output", options->output, "File to create; must not exist")
        ->type_name("FILE")
        ->required();
    return [options] {
        const int processes = trace::merge(options->run, options->output);
        output::printNote("ringside: {} process{} merged into {}\n", processes, processes == 1 ? "" : "es",
                          options->output);
        if (const std::string left = witnessesText(options->run); !left.empty()) {
            output::printMessage(
                "ringside: not merged, because the file holds traces only: {} in {}. Keep the run "
                "directory for ringside hang.\n",
                left, options->run);
        }
        return static_cast<int>(kPass);
    };
}

constexpr std::array<Example, 1> kExamples{{
    {"ringside merge run.ringside -o run.db", "Writes one file, to store or send."},
}};

} // namespace

RINGSIDE_COMMAND(merge, .summary = "Write a run as one file", .group = Group::Convert, .examples = kExamples,
                 .declare = declare);

} // namespace ringside::cli::command_merge
