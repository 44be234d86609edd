// SPDX-License-Identifier: Apache-2.0
// `ringside links RUN`, `--live` or `--perfquery FILE`: reports the health and traffic of RDMA ports. It only
// reads, and does not retry a device that refuses.
#include "report/links.h"

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/live_ports.h"
#include "cli/perfquery.h"
#include "cli/run_input.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "report/link_text.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

namespace ringside::cli::command_links {
namespace {

struct Options {
    RunPaths run;
    std::vector<std::string> perfquery;
    std::string format = "text";
    std::string failOn;
    bool live = false;
    bool watch = false;
    double intervalS = 1;
    int count = 0;
};

std::string printed(const report::Report& report, const std::string& format)
{
    return format == "json"         ? report::linksJsonText(report)
           : format == "prometheus" ? report::linksPrometheus(report)
                                    : report::linksText(report, proseWidth());
}

/// Returns the exit code for --fail-on; 4 if it was asked for and no port was measured.
int exitCodeOf(const report::Report& report, const std::string& failOn)
{
    if (failOn.empty()) {
        return kPass;
    }
    const report::Health health = report::linkHealth(report);
    if (health == report::Health::NotMeasured) {
        return kInconclusive;
    }
    return health >= (failOn == "warning" ? report::Health::Warning : report::Health::Problem) ? kFindings
                                                                                               : kPass;
}

int print(const report::Report& report, const Options& options)
{
    printResult(printed(report, options.format));
    return exitCodeOf(report, options.failOn);
}

/// Prints text after every reading, other formats once after the last reading.
int watch(const Options& options)
{
    LivePorts ports(sysfsRoot());
    if (!ports.areThere()) {
        throw Error(ErrorCode::Unusable, fmt::format("{}: this machine has no RDMA device", ports.folder()),
                    "A container sees them if they are passed on to it; `ringside links RUN` reads a run.");
    }
    const bool text = options.format == "text";
    const int count = options.count > 0 || (text && options.failOn.empty()) || options.watch
                          ? options.count
                          : 2; // the least that shows what moves
    int code = kPass;
    const bool refresh = text && obeysEscapes(STDOUT_FILENO);
    for (int reading = 1; count == 0 || reading <= count; ++reading) {
        if (reading > 1) {
            std::this_thread::sleep_for(std::chrono::duration<double>(options.intervalS));
        }
        ports.read(monotonicNs());
        if (text || reading == count) {
            const report::Report report = report::buildReport(ports.run(), {});
            printResult((refresh ? "\x1b[H\x1b[2J" : "") + printed(report, options.format));
            std::fflush(stdout);
            code = exitCodeOf(report, options.failOn);
        }
    }
    return code;
}

int links(const Options& options)
{
    const bool live = options.live || options.watch;
    if (int{live} + int{!options.run.empty()} + int{!options.perfquery.empty()} != 1) {
        throw Error(ErrorCode::Usage, "links does not know what to read",
                    "Give a RUN, --live for the ports of this machine, or --perfquery FILE for the fabric.");
    }
    if (live) {
        return watch(options);
    }
    return print(report::buildReport(options.perfquery.empty() ? openRun(options.run)
                                                               : runOfPerfquery(options.perfquery),
                                     {}),
                 options);
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Recorded run");
    app.add_flag("--live", options->live, "Watch the ports of this machine instead of reading a run");
    app.add_flag("--watch", options->watch, "As --live, until interrupted");
    app.add_option("--fail-on", options->failOn,
                   "Exit with 1 if a finding about links has this severity or above, with 4 if no link was "
                   "measured; with --live, after two readings unless --count says more")
        ->check(CLI::IsMember({"warning", "problem"}));
    app.add_option("--perfquery", options->perfquery,
                   "Read ports of the fabric, also of switches, from a file written by `perfquery -x` of "
                   "infiniband-diags; repeatable for later readings of the same ports")
        ->type_name("FILE")
        ->take_all();
    app.add_option("--interval", options->intervalS, "Seconds between two readings")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    app.add_option("--count", options->count,
                   "Number of readings; 0: until interrupted (text), or two (json and prometheus)")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "json", "prometheus"}))
        ->capture_default_str();
    return [options] { return links(*options); };
}

constexpr std::array<Example, 3> kExamples{{
    {"ringside links run.ringside", "Reports traffic and errors of the ports of a run."},
    {"ringside links --live --interval 2", "Reports this machine's ports every two seconds."},
    {"ringside links --live --fail-on problem", "Exits with 1 if a port of this machine has a problem."},
}};

} // namespace

RINGSIDE_COMMAND(links, .summary = "Report the health and traffic of network ports",
                 .group = Group::Understand, .examples = kExamples, .gate = {.option = "--fail-on"},
                 .declare = declare);

} // namespace ringside::cli::command_links
