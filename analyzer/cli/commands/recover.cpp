// SPDX-License-Identifier: Apache-2.0
// `ringside recover RUN`: what processes left in their rings when they died; to be run on their host.
#include "cli/command.h"
#include "cli/recovery.h"

#include <memory>

namespace ringside::cli::command_recover {
namespace {

struct Options {
    std::string run;
    std::string rings;
};

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Run directory")->required();
    app.add_option("--rings", options->rings, "Where the ring files are, if not where the run says");
    return [options] {
        recoverAndTell(options->run, options->rings);
        return static_cast<int>(kPass);
    };
}

} // namespace

RINGSIDE_COMMAND(recover, .summary = "Recover what killed processes left in their rings", .declare = declare);

} // namespace ringside::cli::command_recover
