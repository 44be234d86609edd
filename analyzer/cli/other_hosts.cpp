// SPDX-License-Identifier: Apache-2.0
#include "cli/other_hosts.h"

#include "cli/text_file.h"
#include "output/messages.h"
#include "trace/own_program.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ringside::cli {
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

} // namespace

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

} // namespace ringside::cli
