// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_log/collect.h"

#include "import/nccl_log/process.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

namespace ringside::importers::nccl_log {
namespace {

constexpr std::size_t kMostProcesses = 100'000;

} // namespace

struct Collector::Run {
    RowBudget budget;
    std::vector<std::unique_ptr<Process>> processes;
    std::map<std::pair<std::string, std::int64_t>, Process*> byWriter; ///< host, pid
    std::string version;
    std::unordered_multimap<std::int64_t, std::pair<std::string, Process*>> byPid;
    std::int64_t foreign = 0, torn = 0, cut = 0, tooMany = 0, unknownPieces = 0;
    std::string firstTorn;

    Process* processOf(const Message& message)
    {
        const auto known = byWriter.find({std::string(message.host), message.pid});
        if (known != byWriter.end()) {
            return known->second;
        }
        if (processes.size() >= kMostProcesses) {
            ++tooMany;
            return nullptr;
        }
        processes.push_back(std::make_unique<Process>(message, budget));
        byWriter.emplace(std::pair(std::string(message.host), message.pid), processes.back().get());
        byPid.emplace(message.pid, std::pair(std::string(message.host), processes.back().get()));
        return processes.back().get();
    }
    /// Returns the process of a message that follows after a part of another line. The beginning of its host
    /// name is then not known: "netwnode1" is node1 if that host wrote before. Null if no process matches.
    Process* processAfterPart(const Message& message)
    {
        constexpr int kMost = 64; // hosts that happen to have the same process id
        auto [at, end] = byPid.equal_range(message.pid);
        for (int i = 0; at != end && i < kMost; ++at, ++i) {
            if (message.host.ends_with(at->second.first)) {
                return at->second.second;
            }
        }
        ++unknownPieces;
        return nullptr;
    }
};

Collector::Collector() : m_run(std::make_unique<Run>()) {}
Collector::~Collector() = default;

void Collector::add(const Line& line)
{
    const LineContents contents = readLine(line.text);
    const bool torn = contents.torn || line.cut || !line.ended;
    const std::string_view version = versionOf(line.text);
    if (m_run->version.empty()) {
        m_run->version = cleanText(version);
    }
    if (contents.torn && m_run->torn++ == 0) {
        m_run->firstTorn = fmt::format("line {}", line.number);
    }
    m_run->cut += line.cut ? 1 : 0;
    m_run->foreign += contents.messages.empty() && !contents.torn && version.empty() ? 1 : 0;
    for (std::size_t i = 0; i < contents.messages.size(); ++i) {
        const Message& message = contents.messages[i];
        Process* const process = i == 0 ? m_run->processOf(message) : m_run->processAfterPart(message);
        if (process != nullptr) {
            process->add(message, torn);
        }
    }
}

std::vector<trace::ProcessTrace> Collector::finish()
{
    std::map<std::int64_t, std::int64_t> attempts; // a log of several job attempts contains a rank repeatedly
    std::vector<trace::ProcessTrace> traces;
    for (const auto& process : m_run->processes) {
        if (const auto rank = process->rank()) {
            process->setAttempt(attempts[*rank]++);
        }
        traces.push_back(process->finish());
        if (!m_run->version.empty()) {
            traces.back().settings.push_back(trace::settingRow({"library", "nccl"}, m_run->version));
        }
    }
    if (traces.empty()) {
        return traces;
    }
    const auto note = [&](trace::Issue issue, std::int64_t count, std::string message) {
        if (count > 0) {
            traces.front().issues.push_back({issue, count, std::move(message)});
        }
    };
    note(trace::Issue::LinesOfOthers, m_run->foreign, "lines of the log are not NCCL's");
    note(
        trace::Issue::MixedLine, m_run->torn,
        fmt::format("lines contain parts of several messages, the first is {}; parts that could be separated "
                    "were read",
                    m_run->firstTorn));
    note(trace::Issue::TornMessage, m_run->unknownPieces,
         "parts of lines have no recognisable process and were left out");
    note(trace::Issue::LongLine, m_run->cut, "lines were too long; only their beginning was read");
    note(trace::Issue::TooManyProcesses, m_run->tooMany,
         "lines belong to more processes than one log may have and were left out");
    return traces;
}

} // namespace ringside::importers::nccl_log
