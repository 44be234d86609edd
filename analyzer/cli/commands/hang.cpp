// SPDX-License-Identifier: Apache-2.0
// `ringside hang RUN`: explains why a job hangs or how it died. It only reads, also while the job runs.
// --pid looks at the processes of a job that is not recorded. --stacks reads the stacks of the processes on
// this host from outside.
#include "hang/hang.h"

#include "cli/attached_hang.h"
#include "cli/command.h"
#include "cli/judge_hang.h"
#include "cli/option_values.h"
#include "cli/standard_streams.h"
#include "hang/wait_chain.h"

#include <ringside/error.h>
#include <ringside/trace/quantity.h>

#include <memory>

namespace ringside::cli::command_hang {
namespace {

struct Options {
    RunPaths run;
    std::vector<pid_t> pids;
    std::string format = "text";
    std::string after = "10s";
    bool stacks = false;
    bool fail = false;
};

int explain(const Options& options)
{
    const hang::Options limits{trace::parseDuration(options.after).value_or(0)};
    const hang::Report report = judgeHang(options.run, limits, options.stacks);
    printResult(options.format == "json"   ? hang::formatJson(report)
                : options.format == "html" ? hang::formatHtml(report)
                                           : hang::formatText(report));
    return options.fail && report.kind != hang::Kind::Nothing ? kFindings : kPass;
}

int run(const Options& options)
{
    if (options.pids.empty() == options.run.empty()) {
        throw Error(ErrorCode::Usage, "hang needs a RUN, or --pid for a job that is not recorded",
                    "Give one of the two.");
    }
    if (options.pids.empty()) {
        return explain(options);
    }
    return printWhereProcessesStand(options.pids, options.format) && options.fail ? kFindings : kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run,
                   "Run directory (also of a running job), process file or merged file, or whatever a job "
                   "left: dumps of PyTorch's flight recorder, its output with lines of PyTorch's watchdog or "
                   "of NCCL, mixed in one directory");
    app.add_option(
           "--pid", options->pids,
           "Look at a job that is not recorded: this process and what it started on this host, such as "
           "a launcher. Shows where its ranks stand")
        ->type_name("PID")
        ->transform(processNumber());
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "json", "html"}))
        ->capture_default_str();
    app.add_option("--after", options->after,
                   "A wait of this length counts as stuck; also a shorter one if the process's own watchdog "
                   "reported it")
        ->type_name("DURATION")
        ->transform(duration())
        ->capture_default_str();
    app.add_flag("--stacks", options->stacks,
                 "Collect the stacks of the job's processes on this host, and store them in the run");
    app.add_flag("--fail", options->fail, "Exit with 1 if a rank is stuck or died");
    app.get_option("--pid")->excludes("--stacks", "--after");
    return [options] { return run(*options); };
}

constexpr std::array<Example, 3> kExamples{{
    {"ringside hang run.ringside", "Shows which ranks wait for which, also while the job runs."},
    {"ringside hang run.ringside --stacks --fail",
     "Adds the stacks of the processes on this host; exits with 1 if a rank is stuck or died."},
    {"ringside hang --pid 4711", "Shows where the ranks of a job stand that is not recorded."},
}};

} // namespace

RINGSIDE_COMMAND(hang, .summary = "Explain why a job hangs or how it died", .group = Group::Understand,
                 .examples = kExamples, .gate = {.option = "--fail"}, .declare = declare);

} // namespace ringside::cli::command_hang
