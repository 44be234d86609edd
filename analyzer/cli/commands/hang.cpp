// SPDX-License-Identifier: Apache-2.0
// `ringside hang RUN`: explains why a job hangs or how it died. It only reads, also while the job runs.
// --pid looks at the processes of a job that is not recorded. --stacks reads the stacks of the processes on
// this host from outside.
#include "hang/hang.h"

#include "cli/attached_hang.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/run_input.h"
#include "cli/standard_streams.h"
#include "cli/witnesses.h"
#include "hang/rank_report.h"
#include "host/monotonic.h"
#include "import/open_run.h"
#include "output/messages.h"
#include "stacks/collect.h"
#include "stacks/thread_snapshot.h"

#include <ringside/error.h>
#include <ringside/trace/live_run.h>
#include <ringside/trace/quantity.h>
#include <ringside/trace/stacks.h>

#include <fmt/format.h>

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

bool has(const trace::ProcessTrace& process, trace::Issue issue)
{
    return std::any_of(process.issues.begin(), process.issues.end(),
                       [issue](const trace::IssueRow& row) { return row.is(issue); });
}

hang::ProcessNow stateOf(const trace::ProcessTrace& process, trace::Owner owner, bool callsKnown,
                         std::int64_t nowNs)
{
    hang::ProcessNow now;
    now.callsKnown = callsKnown || has(process, trace::Issue::ProcessKilled) || process.process.endNs ||
                     has(process, trace::Issue::DumpedWhileRunning);
    if (owner == trace::Owner::Running || owner == trace::Owner::Stopped) {
        now.life = owner == trace::Owner::Running ? hang::Life::Running : hang::Life::Stopped;
        now.nowNs = nowNs;
    } else {
        now.life = hang::lifeInTrace(process);
        const bool leftRings = now.life == hang::Life::NotKnown && owner == trace::Owner::Gone;
        now.life = leftRings ? hang::Life::Gone : now.life;
    }
    return now;
}

/// Collects the stacks of the running processes of this host and stores them beside their traces.
void storeStacks(trace::LiveRun& live)
{
    int taken = 0;
    for (std::size_t i = 0; i < live.owners.size(); ++i) {
        if (!live.pids[i]) {
            continue;
        }
        trace::ProcessTrace& process = live.run.processes[i];
        stacks::CollectedStacks stacks =
            stacks::collectStacks(static_cast<pid_t>(*live.pids[i]), std::nullopt);
        trace::writeStacks(trace::stackFileOf(process.path), stacks.rows);
        process.stacks = std::move(stacks.rows);
        ++taken;
    }
    output::printNote("ringside: collected the stacks of {} process{} that run{} on this host\n", taken,
                      taken == 1 ? "" : "es", taken == 1 ? "s" : "");
}

/// Dumps of other tools do not tell whether their processes run.
trace::LiveRun openAny(const RunPaths& paths)
{
    if (paths.size() == 1 && importers::isNative(paths)) {
        return trace::openLiveRun(paths.front());
    }
    trace::LiveRun live;
    live.run = openRun(paths);
    live.owners.assign(live.run.processes.size(), trace::Owner::NotKnown);
    live.callsKnown.assign(live.run.processes.size(), false);
    live.pids.assign(live.run.processes.size(), std::nullopt);
    return live;
}

int explain(const Options& options)
{
    trace::LiveRun live = openAny(options.run);
    if (options.stacks) {
        storeStacks(live);
    }
    const std::int64_t nowNs = host::monotonicNs();
    std::vector<hang::ProcessNow> now;
    for (std::size_t i = 0; i < live.owners.size(); ++i) {
        now.push_back(stateOf(live.run.processes[i], live.owners[i], live.callsKnown[i], nowNs));
    }
    const hang::Options limits{trace::parseDuration(options.after).value_or(0)};
    const std::vector<hang::RasMember> members = hang::rasMembers(live.run);
    hang::Report report = hang::analyze(std::move(live.run), now, limits);
    if (options.run.size() == 1) {
        addWitnesses(report, options.run.front(), limits, members);
    }
    printResult(options.format == "json" ? hang::formatJson(report) : hang::formatText(report));
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
                   "Run directory (also of a running job), process file or merged file, or dumps of "
                   "PyTorch's flight recorder: files, or a directory");
    app.add_option(
           "--pid", options->pids,
           "Look at a job that is not recorded: this process and what it started on this host, such as "
           "a launcher. Shows where its ranks stand")
        ->type_name("PID")
        ->transform(processNumber());
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "json"}))
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
