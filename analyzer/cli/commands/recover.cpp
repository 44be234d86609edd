// SPDX-License-Identifier: Apache-2.0
// `ringside recover RUN`: what processes left in their rings when they died; to be run on their host.
#include "cli/command.h"
#include "cli/recovery.h"

#include <ringside/error.h>

#include <memory>

namespace ringside::cli::command_recover {
namespace {

struct Options {
    std::string run;
    std::string rings;
    bool list = false;
};

int run(const Options& options)
{
    if (options.list) {
        listRingFolders();
        return kPass;
    }
    if (options.run.empty()) {
        throw Error(ErrorCode::Usage, "recover needs a run directory",
                    "Give one, or --list to see what processes left in memory.");
    }
    recoverAndTell(options.run, WhenNothing::Tell, options.rings);
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Run directory");
    app.add_option("--rings", options->rings, "Where the ring files are, if not where the run says")
        ->type_name("FOLDER");
    app.add_flag("--list", options->list,
                 "List the rings of your processes in /dev/shm, and whether the processes are gone")
        ->excludes("RUN");
    return [options] { return run(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside recover run.ringside", "Put into the traces what killed processes left in memory."},
    {"ringside recover --list", "What is left in the memory of this host."},
}};

} // namespace

RINGSIDE_COMMAND(recover, .summary = "Recover what killed processes left in their rings",
                 .group = Group::Record, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_recover
