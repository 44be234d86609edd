// SPDX-License-Identifier: Apache-2.0
#include "cli/host_summaries.h"

#include "cli/command.h"
#include "cli/launch.h"
#include "cli/messages.h"
#include "reduce/summary_file.h"

#include <ringside/error.h>
#include <ringside/trace/recover.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throwNoSuchHost(const std::string& name, const std::vector<reduce::HostRun>& hosts)
{
    constexpr std::size_t kMostNames = 10;
    std::vector<std::string_view> names;
    for (const reduce::HostRun& host : hosts) {
        names.push_back(host.name);
    }
    names.resize(std::min(names.size(), kMostNames));
    throw Error(ErrorCode::Usage, fmt::format("no process of the run was on a host called '{}'", name),
                fmt::format("Its hosts: {}{}.", fmt::join(names, ", "),
                            hosts.size() > kMostNames ? " and others" : ""));
}

std::vector<reduce::HostRun> chosenHosts(const SummaryOptions& options)
{
    std::vector<reduce::HostRun> hosts = reduce::hostsOf(options.run);
    if (hosts.empty()) {
        throw Error(ErrorCode::Unusable, options.run.string() + " contains no trace that can be read",
                    "`ringside report` says what is wrong with its files.");
    }
    if (options.host.empty()) {
        return hosts;
    }
    const auto found = std::ranges::find(hosts, options.host, &reduce::HostRun::name);
    if (found == hosts.end()) {
        throwNoSuchHost(options.host, hosts);
    }
    return {std::move(*found)};
}

fs::path directoryOf(const SummaryOptions& options)
{
    if (options.directory.empty()) {
        return fs::is_directory(options.run) ? options.run : fs::absolute(options.run).parent_path();
    }
    std::error_code error;
    fs::create_directories(options.directory, error);
    if (error) {
        throw Error(ErrorCode::Io,
                    fmt::format("cannot make {}: {}", options.directory.string(), error.message()));
    }
    return options.directory;
}

/// Says which processes of a host will have more records than their summary.
void sayWhatIsMissing(const fs::path& run, const std::string& host)
{
    if (!fs::is_directory(run)) {
        return;
    }
    for (const trace::LeftoverRings& leftover : trace::findLeftoverRings(run)) {
        if (!leftover.process.starts_with(host + "-")) {
            continue;
        }
        printMessage("ringside: warning: {} {}\n", leftover.process,
                     leftover.running ? "is still being recorded: its summary ends here"
                                      : "died and left records outside of its trace: run ringside recover on "
                                        "its host, and reduce again");
    }
}

} // namespace

void summarizeThisHost(const fs::path& run)
{
    try {
        if (std::ranges::none_of(trace::findLeftoverRings(run), &trace::LeftoverRings::running)) {
            summarizeHosts({run, nameOfHost(), {}, reduce::kDefaultSteps});
        }
    } catch (const Error& error) {
        printMessage("ringside: warning: no summary was written: {}\n  {}\n", error.what(), error.hint);
    } catch (const std::exception& error) {
        printMessage("ringside: warning: no summary was written: {}\n", error.what());
    }
}

int summarizeHosts(const SummaryOptions& options)
{
    const std::vector<reduce::HostRun> hosts = chosenHosts(options);
    const reduce::Request request{directoryOf(options), options.steps};
    std::set<std::string> names;
    for (const reduce::HostRun& host : hosts) {
        if (!names.insert(reduce::summaryName(host.name)).second) {
            throw Error(ErrorCode::Usage,
                        fmt::format("another host's summary is called {}, too", *names.rbegin()),
                        "Summarize one of them into another directory: --host HOST -o DIR.");
        }
        sayWhatIsMissing(options.run, host.name);
        const reduce::Reduced reduced = reduce::reduceHost(host, request);
        printNote("ringside: {}: {} process{}, {} steps, {} of them in full, {:.2f} MB\n",
                  reduced.file.string(), reduced.processes, reduced.processes == 1 ? "" : "es", reduced.steps,
                  reduced.wholeSteps, static_cast<double>(reduced.bytes) / 1e6);
        if (reduced.unreadable > 0) {
            printMessage(
                "ringside: warning: {} of the host's processes cannot be read and are missing in {}\n",
                reduced.unreadable, reduced.file.string());
        }
    }
    return kPass;
}

} // namespace ringside::cli
