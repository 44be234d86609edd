// SPDX-License-Identifier: Apache-2.0
// `ringside reduce RUN`: writes a summary of each host, from which `ringside report` makes a report of the
// run where its traces would be too many to move.
#include "cli/command.h"
#include "cli/host_summaries.h"

#include <memory>

namespace ringside::cli::command_reduce {
namespace {

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<SummaryOptions>();
    app.add_option("RUN", options->run, "Run directory, or a merged file")->required();
    app.add_option("--host", options->host,
                   "Only this host, as the traces name it; default: every host of the run")
        ->type_name("HOST");
    app.add_option("-o,--output", options->directory,
                   "Directory for the summaries, HOST.summary.db; default: beside the traces")
        ->type_name("DIR");
    app.add_option("--steps", options->steps,
                   "About how many steps keep all their rows: blocks of 10 that are spread over the run, the "
                   "same on all hosts. 0: none, only the sums of each step")
        ->type_name("N")
        ->transform(wholeNumber(0, 1 << 30))
        ->capture_default_str();
    return [options] { return summarizeHosts(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside reduce run.ringside --host node7 -o /shared/summaries",
     "On node7: summarizes its traces, of hundreds of megabytes, in one small file."},
    {"ringside report /shared/summaries", "Reports on the run of which all hosts were summarized there."},
}};

} // namespace

RINGSIDE_COMMAND(reduce, .summary = "Summarize hosts in small files to report from", .group = Group::Convert,
                 .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_reduce
