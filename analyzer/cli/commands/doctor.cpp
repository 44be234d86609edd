// SPDX-License-Identifier: Apache-2.0
// `ringside doctor`: a host, or all hosts of a job, before a run. Reads and loads libraries; changes nothing,
// sends nothing, runs nothing but itself through the user's own launcher.
#include "cli/command.h"
#include "cli/other_hosts.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "doctor/print.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace ringside::cli::command_doctor {
namespace {

struct Options {
    std::vector<std::string> launchers;
    std::string root = "/";
    std::string expected;
    std::string format = "text";
    std::string failOn;
    doctor::Need need;
    bool fix = false;
    bool facts = false;
};

/// A folder in which nothing is known of a host is another one than was meant: no finding would clear the
/// host.
doctor::Host lookAt(const std::string& root)
{
    constexpr const char* kMeant =
        "--root takes a folder with a copy of a host's /proc, /sys and /etc, or its nvidia-smi.xml.";
    std::error_code error;
    if (!std::filesystem::is_directory(root, error)) {
        throw Error(ErrorCode::Unusable, fmt::format("{} is no folder", root), kMeant);
    }
    doctor::Host host = doctor::gather(doctor::Root(root));
    if (host.facts.all().empty()) {
        throw Error(ErrorCode::Unusable, fmt::format("nothing that can be read in {} tells of a host", root),
                    kMeant);
    }
    return host;
}

doctor::Visit visit(const Options& options)
{
    std::vector<doctor::Host> hosts;
    if (options.launchers.empty()) {
        hosts.push_back(lookAt(options.root));
    }
    for (const std::string& launcher : options.launchers) {
        for (doctor::Host& host : factsOfHosts(launcher)) {
            hosts.push_back(std::move(host));
        }
    }
    const doctor::Facts expected = options.expected.empty() ? doctor::Facts() : factsOfFile(options.expected);
    doctor::Visit result;
    result.differences = doctor::differences(hosts);
    for (doctor::Host& host : hosts) {
        std::vector<doctor::Advice> advice = doctor::examine(host.facts, options.need);
        std::ranges::move(doctor::deviations(expected, host.facts), std::back_inserter(advice));
        result.patients.push_back({std::move(host), std::move(advice)});
    }
    return result;
}

bool fails(const doctor::Visit& visit, const std::string& severity)
{
    return std::ranges::any_of(visit.patients, [&](const doctor::Patient& patient) {
        return std::ranges::any_of(patient.advice, [&](const doctor::Advice& each) {
            const rules::Severity least = severity == "info"      ? rules::Severity::Info
                                          : severity == "warning" ? rules::Severity::Warning
                                                                  : rules::Severity::Problem;
            return each.severity >= least;
        });
    });
}

int run(const Options& options)
{
    if (options.facts) {
        writeFacts(lookAt(options.root));
        return kPass;
    }
    const doctor::Visit result = visit(options);
    printResult(options.fix                    ? doctor::fixesOf(result, proseWidth())
                : options.format == "json"     ? doctor::jsonOf(result)
                : options.format == "markdown" ? doctor::textOf(result, doctor::Style::Markdown, proseWidth())
                                               : doctor::textOf(result, doctor::Style::Text, proseWidth()));
    return !options.failOn.empty() && fails(result, options.failOn) ? kFindings : kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("--hosts", options->launchers,
                   "Look at the hosts that this command starts programs on, such as \"srun "
                   "--ntasks-per-node=1\" or \"ssh "
                   "node7\"; may be given several times. The program must be there under the same path")
        ->type_name("LAUNCHER")
        ->take_all();
    app.add_option("--root", options->root,
                   "Look at a copy of another host's /proc, /sys and /etc in this folder instead, and at its "
                   "nvidia-smi.xml, which `nvidia-smi -q -x` printed there")
        ->type_name("FOLDER")
        ->excludes("--hosts");
    app.add_option(
           "--expect", options->expected,
           "A file that --facts wrote on a host that is as it should be: whatever is otherwise here is "
           "a warning")
        ->type_name("FILE");
    app.add_option("--format", options->format, "How to print it")
        ->check(CLI::IsMember({"text", "markdown", "json"}))
        ->capture_default_str();
    app.add_option("--round-trip-ms", options->need.roundTripMs,
                   "Between the hosts, for what TCP buffers must hold")
        ->type_name("MS")
        ->check(CLI::Range(0.001, 1000.0))
        ->capture_default_str();
    app.add_option("--fail-on", options->failOn, "Exit with 1 at findings of this severity or above")
        ->check(CLI::IsMember({"info", "warning", "problem"}));
    app.add_flag("--fix", options->fix, "Print the commands that would mend it; runs none");
    app.add_flag("--facts", options->facts, "Print what --hosts collects from a host, a line a fact");
    return [options] { return run(*options); };
}

constexpr std::array<Example, 3> kExamples{{
    {"ringside doctor", "What is wrong with this host."},
    {"ringside doctor --hosts \"srun --ntasks-per-node=1\" --fail-on problem",
     "All hosts of a Slurm job, and how they differ; exit with 1 at a problem."},
    {"ringside doctor --fix", "The commands that would mend it."},
}};

} // namespace

RINGSIDE_COMMAND(doctor, .summary = "Look at a host, or all hosts of a job, before a run",
                 .group = Group::Check, .examples = kExamples, .gate = {.option = "--fail-on"},
                 .declare = declare);

} // namespace ringside::cli::command_doctor
