// SPDX-License-Identifier: Apache-2.0
#include "cli/host_summaries.h"

#include "cli/command.h"
#include "cli/team.h"
#include "host/process.h"
#include "output/messages.h"
#include "reduce/share_hosts.h"
#include "reduce/summary_file.h"

#include <ringside/error.h>
#include <ringside/trace/recover.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace ringside::cli {
namespace {

// Which hosts of a run this process of a team works on.

/// Returns for each host whether this process of team() takes it; without a team, it takes all. All processes
/// must call it with the same hosts.
std::vector<bool> ownHosts(const std::vector<std::string>& hosts)
{
    stretches::Team* const all = team();
    if (all == nullptr) {
        return std::vector<bool>(hosts.size(), true);
    }
    std::vector<std::size_t> owners(hosts.size());
    if (all->rank() > 0) {
        all->send(host::hostName());
    } else {
        std::vector<std::string> places{host::hostName()};
        for (std::size_t i = 1; i < all->size(); ++i) {
            places.push_back(all->receive(i));
        }
        owners = reduce::shareHosts(hosts, places);
    }
    std::vector<bool> own;
    for (const std::size_t owner : owners) {
        own.push_back(all->agree(owner) == all->rank());
    }
    return own;
}

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
    std::vector<reduce::HostRun> hosts = reduce::hostsOf(options.run, options.host);
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

void refuseEqualNames(const std::vector<std::string>& names)
{
    std::set<std::string> files;
    for (const std::string& name : names) {
        const auto [file, isNew] = files.insert(reduce::summaryName(name));
        if (!isNew) {
            throw Error(ErrorCode::Usage, fmt::format("another host's summary is called {}, too", *file),
                        "Summarize one of them into another directory: --host HOST -o DIR.");
        }
    }
}

/// What is to be said of hosts: notes, which --quiet leaves out, and warnings.
struct Said {
    std::string notes;
    std::string warnings;
    bool failed = false; ///< a host has no summary
};

void add(Said& to, const Said& more)
{
    to.notes += more.notes;
    to.warnings += more.warnings;
    to.failed = to.failed || more.failed;
}

void say(const Said& said)
{
    output::printNote("{}", said.notes);
    output::printMessage("{}", said.warnings);
}

/// Which processes of a host will have more records than their summary.
std::string whatIsMissing(const fs::path& run, const std::string& host)
{
    std::string text;
    if (!fs::is_directory(run)) {
        return text;
    }
    for (const trace::LeftoverRings& leftover : trace::findLeftoverRings(run)) {
        if (leftover.process.starts_with(host + "-")) {
            text += fmt::format("ringside: warning: {} {}\n", leftover.process,
                                leftover.running
                                    ? "is still being recorded: its summary ends here"
                                    : "died and left records outside of its trace: run ringside recover on "
                                      "its host, and reduce again");
        }
    }
    return text;
}

Said summarize(const reduce::HostRun& host, const reduce::Request& request, const fs::path& run)
{
    Said said;
    said.warnings = whatIsMissing(run, host.name);
    const reduce::Reduced reduced = reduce::reduceHost(host, request);
    said.notes = fmt::format("ringside: {}: {} process{}, {} steps, {} of them in full, {:.2f} MB\n",
                             reduced.file.string(), reduced.processes, reduced.processes == 1 ? "" : "es",
                             reduced.steps, reduced.wholeSteps, static_cast<double>(reduced.bytes) / 1e6);
    if (reduced.unreadable > 0) {
        said.warnings += fmt::format(
            "ringside: warning: {} of the host's processes cannot be read and are missing in {}\n",
            reduced.unreadable, reduced.file.string());
    }
    return said;
}

/// In a team, a host that fails is named, and the other ones are summarized.
Said summarizeOrSay(const reduce::HostRun& host, const reduce::Request& request, const fs::path& run)
{
    try {
        return summarize(host, request, run);
    } catch (const Error& error) {
        return {
            "",
            fmt::format("ringside: error: no summary of {}: {}\n  {}\n", host.name, error.what(), error.hint),
            true};
    } catch (const std::exception& error) {
        return {"", fmt::format("ringside: error: no summary of {}: {}\n", host.name, error.what()), true};
    }
}

/// Process 0 says what all of the team have to say.
int sayOfAll(Said said)
{
    constexpr char kFailed = 'f';
    constexpr char kDone = 'd';
    if (team()->rank() > 0) {
        team()->send((said.failed ? kFailed : kDone) + said.notes + '\0' + said.warnings);
        return kPass;
    }
    for (std::size_t i = 1; i < team()->size(); ++i) {
        const std::string bytes = team()->receive(i);
        const std::size_t end = std::min(bytes.find('\0'), bytes.size());
        add(said, {bytes.substr(1, end - 1), bytes.substr(std::min(end + 1, bytes.size())),
                   bytes.starts_with(kFailed)});
    }
    say(said);
    return said.failed ? kUnusable : kPass;
}

} // namespace

void summarizeThisHost(const fs::path& run)
{
    try {
        if (std::ranges::none_of(trace::findLeftoverRings(run), &trace::LeftoverRings::running)) {
            summarizeHosts({run, host::hostName(), {}, reduce::kDefaultSteps});
        }
    } catch (const Error& error) {
        output::printMessage("ringside: warning: no summary was written: {}\n  {}\n", error.what(),
                             error.hint);
    } catch (const std::exception& error) {
        output::printMessage("ringside: warning: no summary was written: {}\n", error.what());
    }
}

int summarizeHosts(const SummaryOptions& options)
{
    const std::vector<reduce::HostRun> hosts = chosenHosts(options);
    const reduce::Request request{directoryOf(options), options.steps};
    std::vector<std::string> names;
    for (const reduce::HostRun& host : hosts) {
        names.push_back(host.name);
    }
    refuseEqualNames(names);
    if (team() == nullptr) {
        for (const reduce::HostRun& host : hosts) {
            say(summarize(host, request, options.run));
        }
        return kPass;
    }
    const std::vector<bool> own = ownHosts(names);
    Said said;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (own[i]) {
            add(said, summarizeOrSay(hosts[i], request, options.run));
        }
    }
    return sayOfAll(std::move(said));
}

} // namespace ringside::cli
