// SPDX-License-Identifier: Apache-2.0
// `ringside top RUN`: what is wrong with a running job now. It reads the small files that the job's hosts
// write into the run directory, and asks nothing of the job.
#include "attach/host_view.h"
#include "cli/attached_hang.h"
#include "cli/command.h"
#include "cli/live_ports.h"
#include "cli/live_screen.h"
#include "cli/option_values.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "cli/text_file.h"
#include "host/monotonic.h"
#include "host/other_process.h"
#include "host/process.h"
#include "live/show.h"
#include "live/snapshot.h"
#include "report/report.h"

#include <ringside/error.h>
#include <ringside/trace/live_snapshot.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ringside::cli::command_top {
namespace {

namespace fs = std::filesystem;

bool isWatched(const fs::path& directory)
{
    std::error_code error;
    for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error)) {
        if (file->path().filename().string().ends_with(trace::kLiveSnapshotEnding)) {
            return true;
        }
    }
    return false;
}

std::vector<fs::path> runsHere()
{
    std::vector<fs::path> runs;
    std::error_code error;
    for (fs::directory_iterator entry(".", error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() == ".ringside") {
            runs.push_back(entry->path().filename());
        }
    }
    return runs;
}

std::vector<fs::path> runsOfProcesses()
{
    std::vector<fs::path> runs;
    for (const pid_t pid : host::allProcesses()) {
        const fs::path run = host::valueIn(host::procFile(pid, "environ"), "RINGSIDE_DIR").value_or("");
        if (run.is_absolute() && std::ranges::find(runs, run) == runs.end()) {
            runs.push_back(run);
        }
    }
    return runs;
}

/// Run directories with a snapshot: those of the working directory, and those into which processes of this
/// machine record whose environment this user may read. Each once, sorted; those of the working directory by
/// their name alone.
std::vector<fs::path> findRunningRuns()
{
    std::map<fs::path, fs::path> byRealPath; // the first name of each stays
    for (const auto& list : {runsHere(), runsOfProcesses()}) {
        for (const fs::path& run : list) {
            std::error_code error;
            const fs::path real = fs::canonical(run, error);
            if (!error && isWatched(real)) {
                byRealPath.emplace(real, run);
            }
        }
    }
    std::vector<fs::path> runs;
    for (const auto& [real, run] : byRealPath) {
        runs.push_back(run);
    }
    std::ranges::sort(runs);
    return runs;
}

using namespace std::chrono_literals;

/// Keeps the readings of ports, so that counters show what they gained.
class Machine final {
public:
    explicit Machine(std::string dcgmFile) : m_dcgmFile(std::move(dcgmFile)), m_ports(sysfsRoot())
    {
        readPorts();
    }

    [[nodiscard]] attach::HostView look()
    {
        attach::HostView view;
        view.host = host::hostName();
        attach::readMachine(view);
        view.gpus = askForGpus();
        view.processes = attach::processesOfHost(view.gpus);
        if (!m_dcgmFile.empty()) {
            view.dcgm = attach::parseDcgmText(readText(m_dcgmFile));
        }
        readPorts();
        if (m_ports.areThere()) {
            view.ports = report::buildReport(m_ports.run(), {});
        }
        return view;
    }

private:
    void readPorts()
    {
        if (m_ports.areThere()) {
            m_ports.read(host::monotonicNs());
        }
    }

    std::string m_dcgmFile;
    LivePorts m_ports;
};

/// Prints the machine once, as JSON if `json`. Returns the exit code.
/// `dcgmFile`: the text of NVIDIA's dcgm-exporter, read anew for each print; empty: none.
int printHost(bool json, const std::string& dcgmFile)
{
    Machine machine(dcgmFile);
    std::this_thread::sleep_for(1s); // counters of ports need two readings
    const attach::HostView view = machine.look();
    printResult(json ? attach::formatJson(view) : attach::formatText(view));
    return kPass;
}

/// Prints the machine every two seconds until it is interrupted. Returns the exit code.
int watchHost(const std::string& dcgmFile)
{
    Machine machine(dcgmFile);
    const bool refresh = obeysEscapes(STDOUT_FILENO);
    for (;;) {
        printResult((refresh ? "\x1b[H\x1b[2J" : "") + attach::formatText(machine.look()));
        std::fflush(stdout);
        std::this_thread::sleep_for(2s);
    }
}

struct Options {
    std::string run;
    std::string filter;
    std::size_t ranks = 32;
    bool once = false;
    bool json = false;
    bool lines = false;
    bool host = false;
    std::string dcgm;
};

/// A line for each run: how to watch it, and what is to be seen.
std::string listOfRuns(const std::vector<std::filesystem::path>& runs)
{
    std::string list;
    for (const std::filesystem::path& run : runs) {
        const live::JobView view = live::viewOf(live::readRun(run));
        list += fmt::format("{}: {} rank{}{}{}. {}\n", run.string(), view.ranks.size(),
                            view.ranks.size() == 1 ? "" : "s",
                            view.step ? fmt::format(", step {}", *view.step) : "",
                            view.alarms.empty() ? ""
                                                : fmt::format(", {} alarm{}", view.alarms.size(),
                                                              view.alarms.size() == 1 ? "" : "s"),
                            view.verdict);
    }
    return list;
}

live::RunNow readOrFail(const std::filesystem::path& run)
{
    live::RunNow now = live::readRun(run);
    if (now.hosts.empty()) {
        std::error_code error;
        throw Error(ErrorCode::Unusable,
                    run.string() + (std::filesystem::is_directory(run, error)
                                        ? " does not run: no process of it has said anything lately"
                                        : " is no run directory"),
                    "A job that has just begun says something after two seconds. For a job that has ended: "
                    "ringside report " +
                        run.string());
    }
    return now;
}

/// Null: several jobs run here, and they were listed.
std::optional<std::filesystem::path> chooseRun(const Options& options)
{
    if (!options.run.empty()) {
        return options.run;
    }
    const std::vector<std::filesystem::path> runs = findRunningRuns();
    if (runs.size() == 1) {
        return runs.front();
    }
    if (runs.empty()) {
        throw Error(ErrorCode::Usage, "no job is being recorded in this directory or on this machine",
                    "Name its run directory: ringside top RUN");
    }
    if (options.json) {
        throw Error(ErrorCode::Usage, fmt::format("{} jobs are being recorded here", runs.size()),
                    "Name one of them; `ringside top` lists them.");
    }
    printResult(listOfRuns(runs));
    return std::nullopt;
}

int showHost(const Options& options)
{
    if (!options.run.empty()) {
        throw Error(ErrorCode::Usage, "--host shows this machine, not a run", "Leave out RUN or --host.");
    }
    return options.once || options.json ? printHost(options.json, options.dcgm) : watchHost(options.dcgm);
}

int run(const Options& options)
{
    if (options.host) {
        return showHost(options);
    }
    if (!options.dcgm.empty()) {
        throw Error(ErrorCode::Usage, "--dcgm needs --host", "Leave it out, or add --host.");
    }
    const auto directory = chooseRun(options);
    if (!directory) {
        return kPass;
    }
    if (options.once || options.json) {
        const live::JobView view = live::viewOf(readOrFail(*directory));
        printResult(options.json ? live::formatJson(view)
                                 : live::formatText(view, {.mostRanks = options.ranks,
                                                           .strips = !options.lines,
                                                           .filter = options.filter}));
        return kPass;
    }
    static_cast<void>(readOrFail(*directory));
    if (options.lines || !obeysEscapes(STDOUT_FILENO)) {
        return watchAsLines(*directory);
    }
    return watchOnScreen(*directory, options.filter);
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option(
           "RUN", options->run,
           "Run directory of a running job; default: the one that is being recorded in the working directory "
           "or on this machine. Several are listed")
        ->type_name("RUN");
    app.add_flag("--once", options->once, "Print what is known now and end");
    app.add_flag("--json", options->json, "The same as JSON (ringside-top/1)");
    app.add_flag("--lines", options->lines,
                 "Print a line whenever something changes, for screen readers and logs; no bars");
    app.add_flag(
        "--host", options->host,
        "Show this machine instead, also where nothing is recorded: GPUs, the processes that use them, "
        "ports; with --json as ringside-host/1");
    app.add_option(
           "--dcgm", options->dcgm,
           "With --host: a file with the text of NVIDIA's dcgm-exporter, whose profiling fields are shown. "
           "Nothing is switched on")
        ->type_name("FILE");
    app.add_option("--filter", options->filter,
                   "Ranks to list: numbers (0-7,12), a state (hanging) or a part of a host's name")
        ->type_name("RANKS");
    app.add_option("--ranks", options->ranks, "Ranks to list")
        ->type_name("COUNT")
        ->transform(wholeNumber(0))
        ->capture_default_str();
    return [options] { return run(*options); };
}

constexpr std::array<Example, 4> kExamples{{
    {"ringside top run.ringside", "Watches a running job: who is late, who waits, what is not well."},
    {"ringside top run.ringside --once", "Prints what is known now."},
    {"ringside top --host", "Watches this machine, also where nothing is recorded."},
    {"ringside top --json", "For a script: the run of this directory that runs."},
}};

} // namespace

RINGSIDE_COMMAND(top, .summary = "Watch a running job", .group = Group::Understand, .examples = kExamples,
                 .declare = declare);

} // namespace ringside::cli::command_top
