// SPDX-License-Identifier: Apache-2.0
// `ringside doctor`: checks a host, or all hosts of a job, before a run. It reads files and loads libraries.
// It changes nothing, sends nothing, and starts only itself through the user's own launcher.
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/other_hosts.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "cli/text_file.h"
#include "doctor/manifest.h"
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
    bool manifest = false;
};

/// Rejects a folder without any facts: it is a wrong path, and an empty list of findings would look like a
/// healthy host.
doctor::Host hostAt(const std::string& root)
{
    constexpr const char* kMeant =
        "Give --root a folder with a copy of a host's /proc, /sys and /etc, or with its nvidia-smi.xml.";
    std::error_code error;
    if (!std::filesystem::is_directory(root, error)) {
        throw Error(ErrorCode::Unusable, fmt::format("{} is not a folder", root), kMeant);
    }
    doctor::Host host = doctor::gather(doctor::Root(root));
    if (host.facts.all().empty()) {
        throw Error(ErrorCode::Unusable, fmt::format("{} holds no readable facts of a host", root), kMeant);
    }
    return host;
}

/// What the file of --expect holds: all facts of a host, or a manifest.
struct Expectation {
    doctor::Facts facts;
    doctor::Manifest manifest;
};

Expectation expectationIn(const std::string& path)
{
    if (path.empty()) {
        return {};
    }
    const std::string text = readText(path);
    return doctor::isManifest(text) ? Expectation{{}, doctor::manifestIn(path, text)}
                                    : Expectation{factsIn(path, text), {}};
}

doctor::Examination examination(const Options& options)
{
    std::vector<doctor::Host> hosts;
    if (options.launchers.empty()) {
        hosts.push_back(hostAt(options.root));
    }
    for (const std::string& launcher : options.launchers) {
        for (doctor::Host& host : factsOfHosts(launcher)) {
            hosts.push_back(std::move(host));
        }
    }
    const Expectation expected = expectationIn(options.expected);
    doctor::Examination result;
    result.differences = doctor::differences(hosts);
    for (doctor::Host& host : hosts) {
        std::vector<doctor::Advice> advice = doctor::examine(host.facts, options.need);
        std::ranges::move(doctor::deviations(expected.facts, host.facts), std::back_inserter(advice));
        std::ranges::move(doctor::deviations(expected.manifest, host.facts), std::back_inserter(advice));
        std::vector<doctor::NotKnown> notKnown = doctor::notKnown(host.facts);
        result.hosts.push_back({std::move(host), std::move(advice), std::move(notKnown)});
    }
    return result;
}

/// A difference between hosts counts as a warning.
bool fails(const doctor::Examination& examination, const std::string& severity)
{
    if (severity != "problem" && !examination.differences.empty()) {
        return true;
    }
    return std::ranges::any_of(examination.hosts, [&](const doctor::ExaminedHost& host) {
        return std::ranges::any_of(host.advice, [&](const doctor::Advice& each) {
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
        writeFacts(hostAt(options.root));
        return kPass;
    }
    if (options.manifest) {
        printResult(doctor::manifestText(doctor::manifestOf(hostAt(options.root).facts)));
        return kPass;
    }
    const doctor::Examination result = examination(options);
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
                   "Check the hosts on which this command starts programs, such as \"srun "
                   "--ntasks-per-node=1\" or \"ssh "
                   "node7\"; repeatable. ringside must be installed there under the same path")
        ->type_name("LAUNCHER")
        ->take_all();
    app.add_option("--root", options->root,
                   "Check another host by a copy of its /proc, /sys and /etc in this folder, and by its "
                   "nvidia-smi.xml, the output of `nvidia-smi -q -x`")
        ->type_name("FOLDER")
        ->excludes("--hosts");
    app.add_option("--expect", options->expected,
                   "The output of --manifest or --facts from a correctly set up host. What differs is "
                   "reported: from a "
                   "manifest by the role of each device, from facts one by one")
        ->type_name("FILE");
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "markdown", "json"}))
        ->capture_default_str();
    app.add_option("--round-trip-ms", options->need.roundTripMs,
                   "Round-trip time between the hosts in ms, from which the needed TCP buffers follow")
        ->type_name("MS")
        ->transform(number(0.001, 1000))
        ->capture_default_str();
    app.add_option("--fail-on", options->failOn,
                   "Exit with 1 if there are findings of this severity or above; a difference between hosts "
                   "is a warning")
        ->check(CLI::IsMember({"info", "warning", "problem"}));
    app.add_flag("--fix", options->fix, "Print the commands that would fix the findings; runs none of them");
    app.add_flag("--facts", options->facts,
                 "Print the facts that --hosts collects from a host, one line each");
    app.add_flag(
        "--manifest", options->manifest,
        "Print what this host has, by role: number, rate, width, slot and name of rails, GPUs and other "
        "links; for --expect");
    return [options] { return run(*options); };
}

constexpr std::array<Example, 4> kExamples{{
    {"ringside doctor", "Checks this host."},
    {"ringside doctor --manifest > h100.json; ringside doctor --hosts \"ssh node7\" --expect h100.json",
     "Compares a host with a good one of its kind."},
    {"ringside doctor --hosts \"srun --ntasks-per-node=1\" --fail-on problem",
     "Checks all hosts of a Slurm job and compares them; exits with 1 if there is a problem."},
    {"ringside doctor --fix", "Prints the commands that would fix the findings."},
}};

} // namespace

RINGSIDE_COMMAND(doctor, .summary = "Check a host, or all hosts of a job, before a run",
                 .group = Group::Check, .examples = kExamples, .gate = {.option = "--fail-on"},
                 .declare = declare);

} // namespace ringside::cli::command_doctor
