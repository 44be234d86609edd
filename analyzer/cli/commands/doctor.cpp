// SPDX-License-Identifier: Apache-2.0
// `ringside doctor`: checks a host, or all hosts of a job, before a run. It reads files and loads libraries.
// It changes nothing, sends nothing, and starts only itself through the user's own launcher.
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "cli/text_file.h"
#include "doctor/facts.h"
#include "doctor/manifest.h"
#include "doctor/print.h"
#include "output/messages.h"
#include "trace/own_program.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ringside::cli::command_doctor {
namespace {

constexpr std::size_t kMostHosts = 65'536;
constexpr std::size_t kMostFacts = 100'000; ///< limit for each host

struct Answer {
    doctor::Facts facts;
    std::size_t lines = 0;
    std::size_t announced = 0;
};
using Answers = std::map<std::string, Answer>;

/// Skips all other output of a launcher.
void parseAnswer(Answers& answers, const std::string& line)
{
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_array() || json.size() < 2 || !json[0].is_string() || answers.size() > kMostHosts) {
        return;
    }
    Answer& answer = answers[json[0].get<std::string>()];
    if (json.size() == 2 && json[1].is_number_unsigned()) {
        answer.announced = json[1].get<std::size_t>();
    } else if (json.size() == 3 && json[1].is_string() && json[2].is_string() && answer.lines < kMostFacts) {
        answer.facts.set(json[1].get<std::string>(), json[2].get<std::string>());
        ++answer.lines;
    }
}

/// Some launchers write the task before each line: "3: [...".
std::string withoutTask(const std::string& line)
{
    const std::size_t begin = line.find('[');
    return begin == std::string::npos ? line : line.substr(begin);
}

void refuseHalf(const std::string& name, const Answer& answer, const char* help)
{
    if (answer.announced != answer.lines) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("the answer of {} is incomplete: {} of {} facts", name, answer.lines,
                                answer.announced),
                    help);
    }
}

Answers readAnswers(const std::string& command)
{
    const auto end = [](std::FILE* pipe) { pclose(pipe); };
    const std::unique_ptr<std::FILE, decltype(end)> pipe(popen(command.c_str(), "re"), end);
    if (pipe == nullptr) {
        throw Error(ErrorCode::Io, fmt::format("cannot start: {}", command),
                    "Is /bin/sh there, and are there processes left (ulimit -u)?");
    }
    Answers answers;
    std::string line;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
        if (c != '\n') {
            line += static_cast<char>(c);
            continue;
        }
        parseAnswer(answers, withoutTask(line));
        line.clear();
    }
    return answers;
}

/// Writes the answer of this host: lines ["host", "fact", "value"], then ["host", count].
void writeFacts(const doctor::Host& host)
{
    using Json = nlohmann::json;
    constexpr auto kReplace = Json::error_handler_t::replace;
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    for (const auto& [fact, value] : host.facts.all()) {
        fmt::print("{}\n", Json::array({host.name, fact, value}).dump(-1, ' ', true, kReplace));
    }
    fmt::print("{}\n", Json::array({host.name, host.facts.all().size()}).dump(-1, ' ', true, kReplace));
}

/// Runs `launcher`, by the shell, with this program's `doctor --facts` appended. Throws ringside::Error
/// (Unusable) if no host answers or if the answer of a host, which it names, is incomplete.
std::vector<doctor::Host> factsOfHosts(const std::string& launcher)
{
    const std::string self = trace::ownProgram();
    const std::string command = fmt::format("{} '{}' doctor --facts", launcher, self);
    std::vector<doctor::Host> hosts;
    Answers answers = readAnswers(command);
    const bool anyWhole = std::ranges::any_of(
        answers, [](const auto& each) { return each.second.announced == each.second.lines; });
    for (auto& [name, answer] : answers) {
        if (answer.announced != answer.lines && anyWhole) {
            output::printMessage("ringside: {} answered only {} of {} facts and is left out\n", name,
                                 answer.lines, answer.announced);
            continue;
        }
        refuseHalf(name, answer,
                   "Run it again with fewer hosts, or one process per host (srun --ntasks-per-node=1).");
        hosts.push_back({name, std::move(answer.facts)});
    }
    if (hosts.empty()) {
        throw Error(ErrorCode::Unusable, fmt::format("no host answered: {}", command),
                    "The launcher must start programs on the hosts, and ringside must be installed there "
                    "under the same path.");
    }
    return hosts;
}

/// Parses the output of writeFacts, which a file of that name holds. Throws ringside::Error (Unusable) if it
/// is not the complete answer of one host.
doctor::Facts factsIn(const std::string& path, const std::string& text)
{
    constexpr std::size_t kLongestLine = 1 << 16;
    constexpr const char* kHelp =
        "Give the complete output of `ringside doctor --manifest`, or of --facts, on one host.";
    std::istringstream file(text);
    Answers answers;
    for (std::string line; std::getline(file, line) && answers.size() < 2;) {
        parseAnswer(answers, line.substr(0, kLongestLine));
    }
    if (answers.size() != 1) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{}: {}", path,
                                answers.empty() ? "it holds no facts" : "it holds facts of several hosts"),
                    kHelp);
    }
    auto& [name, answer] = *answers.begin();
    refuseHalf(name + " in " + path, answer, kHelp);
    return std::move(answer.facts);
}

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
