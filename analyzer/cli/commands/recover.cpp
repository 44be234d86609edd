// SPDX-License-Identifier: Apache-2.0
// `ringside recover RUN`: recovers records that processes left in their rings when they died. It must run on
// their host.
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
    recoverAndReport(options.run, WhenNothing::Report, options.rings);
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Run directory");
    app.add_option("--rings", options->rings, "Folder of the ring files, if not the one stored in the run")
        ->type_name("FOLDER");
    app.add_flag("--list", options->list,
                 "List the rings of your processes in /dev/shm, and whether the processes still run")
        ->excludes("RUN");
    return [options] { return run(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside recover run.ringside", "Adds the records that killed processes left in memory to the traces."},
    {"ringside recover --list", "Lists the rings left in the memory of this host."},
}};

} // namespace

RINGSIDE_COMMAND(recover, .summary = "Recover records that killed processes left in memory",
                 .group = Group::Record, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_recover
