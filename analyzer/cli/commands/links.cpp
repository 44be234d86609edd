// SPDX-License-Identifier: Apache-2.0
// `ringside links RUN`, `--live` or `--from FILE`: reports the health and traffic of RDMA ports. It only
// reads, and does not retry a device that refuses.
#include "report/links.h"

#include "cli/command.h"
#include "cli/live_ports.h"
#include "cli/option_values.h"
#include "cli/run_input.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "cli/text_file.h"
#include "host/monotonic.h"
#include "report/link_text.h"
#include "tool_output/make_run.h"
#include "tool_output/reading.h"
#include "tool_output/text.h"
#include "trace/read/system_error.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ringside::cli::command_links {
namespace {

// Files that other tools printed, as `ringside links --from` takes them.

tool_output::File toolFileOf(const std::string& argument)
{
    tool_output::File file;
    file.path = argument;
    std::error_code error;
    const std::size_t mark = argument.find('=');
    if (mark != std::string::npos && !std::filesystem::exists(argument, error)) {
        file.path = argument.substr(mark + 1);
        const std::string name = argument.substr(0, mark);
        const std::size_t slash = name.find('/');
        file.host = slash == std::string::npos ? "" : name.substr(0, slash);
        file.port = slash == std::string::npos ? name : name.substr(slash + 1);
    }
    if (file.port.empty()) {
        file.port = tool_output::printable(std::filesystem::path(file.path).stem().string());
    }
    file.text = readText(file.path);
    file.modifiedNs = modifiedNsOf(file.path);
    return file;
}

/// Reads the files that `arguments` name: FILE, PORT=FILE, HOST/=FILE or HOST/PORT=FILE. A file whose whole
/// name exists is taken as such. One of several that cannot be read is an issue; the only one throws
/// ringside::Error.
std::vector<tool_output::File> readToolFiles(const std::vector<std::string>& arguments,
                                             std::vector<trace::IssueRow>& issues)
{
    std::vector<tool_output::File> files;
    for (const std::string& argument : arguments) {
        try {
            files.push_back(toolFileOf(argument));
        } catch (const Error& error) {
            if (files.empty() && &argument == &arguments.back()) {
                throw;
            }
            issues.push_back({trace::Issue::UnreadableFile, 1, error.what()});
        }
    }
    return files;
}

struct Options {
    RunPaths run;
    std::vector<std::string> from;
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
        ports.read(host::monotonicNs());
        if (text || reading == count) {
            const report::Report report = report::buildReport(ports.run(), {});
            printResult((refresh ? "\x1b[H\x1b[2J" : "") + printed(report, options.format));
            std::fflush(stdout);
            code = exitCodeOf(report, options.failOn);
        }
    }
    return code;
}

/// Opens the run, or makes one, and adds what the files tell.
trace::RunTrace runOf(const Options& options)
{
    trace::RunTrace run =
        options.run.empty() ? trace::RunTrace{"files of other tools", {}, {}} : openRun(options.run);
    tool_output::addFiles(run, readToolFiles(options.from, run.issues));
    return run;
}

int links(const Options& options)
{
    const bool live = options.live || options.watch;
    if (live ? !options.run.empty() || !options.from.empty() : options.run.empty() && options.from.empty()) {
        throw Error(ErrorCode::Usage, "links does not know what to read",
                    "Give a RUN, --from FILE for what other tools printed, or both; or --live for the ports "
                    "of this machine.");
    }
    return live ? watch(options) : print(report::buildReport(runOf(options), {}), options);
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
    app.add_option(
           "--from", options->from,
           "Read what another tool printed: iblinkinfo, ibqueryerrors, ibstat, perfquery, ibdiagnet's "
           "db_csv, mlxlink, ethtool -S and -m, rdma statistic, nvidia-smi topo -m, or the log of the "
           "kernel or of NCCL. Recognized by its content; PORT=FILE, HOST/=FILE or HOST/PORT=FILE names "
           "what the tool does not (else the port is the file's name without its ending). Beside a RUN: on "
           "the run's clock. Later readings of the same ports show what increases")
        ->type_name("FILE")
        ->take_all();
    app.add_option("--interval", options->intervalS, "Seconds between two readings")
        ->type_name("SECONDS")
        ->transform(number(0.1, 3600))
        ->capture_default_str();
    app.add_option("--count", options->count,
                   "Number of readings; 0: until interrupted (text), or two (json and prometheus)")
        ->type_name("N")
        ->transform(wholeNumber(0, 1'000'000))
        ->capture_default_str();
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "json", "prometheus"}))
        ->capture_default_str();
    return [options] { return links(*options); };
}

constexpr std::array<Example, 5> kExamples{{
    {"ringside links run.ringside", "Reports traffic and errors of the ports of a run."},
    {"ringside links --live --interval 2", "Reports this machine's ports every two seconds."},
    {"ringside links --live --fail-on problem", "Exits with 1 if a port of this machine has a problem."},
    {"ringside links --from iblinkinfo.txt ibqueryerrors.txt", "Reports the ports of a fabric."},
    {"ringside links run.ringside --from gpu7/=dmesg.txt", "Adds what a host's kernel said in that time."},
}};

} // namespace

RINGSIDE_COMMAND(links, .summary = "Report the health and traffic of network ports",
                 .group = Group::Understand, .examples = kExamples, .gate = {.option = "--fail-on"},
                 .declare = declare);

} // namespace ringside::cli::command_links
