// SPDX-License-Identifier: Apache-2.0
// `ringside control RUN start|stop|level LEVEL|dump`: how much a running job records, changed on all its
// ranks at the same step. `ringside record --attach-control RUN ...` is the same.
#include "cli/run_control.h"

#include <memory>

namespace ringside::cli {
namespace {

struct Options {
    std::string run;
    std::vector<std::string> words;
};

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Run directory of a job that is being recorded")->required();
    app.add_option("WHAT", options->words,
                   "start: what its profile says; stop: nothing but definitions; level LEVEL: paused, light, "
                   "standard or deep; dump: write down what the flight recorder holds")
        ->required();
    return [options] { return controlRun(options->run, options->words); };
}

} // namespace
} // namespace ringside::cli

RINGSIDE_COMMAND(control, .summary = "Change how much a running job records, on all ranks at the same step",
                 .declare = ringside::cli::declare);
