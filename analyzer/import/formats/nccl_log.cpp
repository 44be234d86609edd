// SPDX-License-Identifier: Apache-2.0
// Imports NCCL's own log (NCCL_DEBUG=INFO), of one rank or of a whole job mixed with other output. It
// contains the ranks, their connections, the settings, and the calls in their order, but no times.
#include "import/bytes.h"
#include "import/importer.h"
#include "import/nccl_log/log_line.h"
#include "import/nccl_log/process.h"

#include <ringside/error.h>
#include <ringside/trace/reader.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace ringside::importers::importer_nccl_log {
namespace {

using namespace nccl_log;

constexpr std::size_t kMostProcesses = 100'000;

/// All processes of a log.
struct Collector {
    /// Adds a line of the log, which may belong to NCCL or to another program.
    void add(const Line& line);
    /// Returns the processes in the order of their first lines. Empty if the log has no line of NCCL.
    [[nodiscard]] std::vector<trace::ProcessTrace> finish();

    RowBudget budget;
    std::vector<std::unique_ptr<Process>> processes;
    std::map<std::pair<std::string, std::int64_t>, Process*> byWriter; ///< host, pid
    std::string version;
    std::unordered_multimap<std::int64_t, std::pair<std::string, Process*>> byPid;
    std::int64_t foreign = 0, torn = 0, cut = 0, tooMany = 0, unknownPieces = 0;
    std::string firstTorn;
    /// A message that others interrupted: what follows of it stands in the next line.
    struct Interrupted {
        Process* writer = nullptr;
        Message message; ///< its views are those of a line that is gone
        std::string text;
    };
    std::vector<Interrupted> interrupted;

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
    /// Returns the process whose message follows after a part of another line. The beginning of its host name
    /// is then not known: "netwnode1" is node1 if that host wrote before. Null if no process matches.
    std::pair<Process*, std::size_t> processAfterPart(const Message& message)
    {
        constexpr int kMost = 64; // hosts that happen to have the same process id
        auto [at, end] = byPid.equal_range(message.pid);
        for (int i = 0; at != end && i < kMost; ++at, ++i) {
            if (message.host.ends_with(at->second.first)) {
                return {at->second.second, message.host.size() - at->second.first.size()};
            }
        }
        ++unknownPieces;
        return {nullptr, 0};
    }
    /// Finds the writers of a line's messages. What stands before the name of a host that is known ends the
    /// message before it.
    std::vector<Process*> writersOf(LineContents& contents)
    {
        std::vector<Process*> writers;
        for (std::size_t i = 0; i < contents.messages.size(); ++i) {
            if (i == 0) {
                writers.push_back(processOf(contents.messages[0]));
                continue;
            }
            const auto [writer, glued] = processAfterPart(contents.messages[i]);
            std::string_view& before = contents.messages[i - 1].text;
            before = {before.data(), before.size() + glued};
            writers.push_back(writer);
        }
        return writers;
    }
    /// Adds the messages of the line before that others interrupted; `rest` may be the end of one of them.
    void addInterrupted(std::string_view rest)
    {
        for (Interrupted& each : interrupted) {
            // Only these have an end by which they are recognised.
            const auto isWhole = [](const Parsed& parsed) {
                return std::holds_alternative<CallLine>(parsed) || std::holds_alternative<InitLine>(parsed);
            };
            constexpr std::size_t kLongest = 1024; // such a message has about 200 characters
            const bool fits = each.text.size() < kLongest && rest.size() < kLongest;
            std::string whole = fits ? each.text + std::string(rest) : std::string();
            if (!rest.empty() && isWhole(parseMessage(whole))) {
                each.text = std::move(whole);
                rest = {};
            }
            each.message.text = each.text;
            each.writer->add(each.message, true);
        }
        interrupted.clear();
    }
    /// NCCL before 2.16.2 gives communicators no hash. Those of one size and place in their processes are one
    /// communicator if they have each of its ranks once.
    void nameCommunicators()
    {
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<trace::CommunicatorRow*>> alike;
        for (const auto& process : processes) {
            for (const Process::Unnamed& each : process->unnamed()) {
                alike[{each.size, each.place}].push_back(&process->communicator(each.row));
            }
        }
        for (const auto& [key, rows] : alike) {
            std::set<std::int64_t> ranks;
            std::ranges::transform(rows, std::inserter(ranks, ranks.end()), &trace::CommunicatorRow::rank);
            if (ranks.size() == rows.size() && std::ssize(rows) == key.first) {
                for (trace::CommunicatorRow* const row : rows) {
                    row->hash = textHash(fmt::format("{} ranks, {}", key.first, key.second));
                }
            }
        }
    }
};

void Collector::add(const Line& line)
{
    LineContents contents = readLine(line.text);
    const bool isTorn = contents.torn || line.cut || !line.ended;
    const std::string_view told = versionOf(line.text);
    if (version.empty()) {
        version = cleanText(told);
    }
    if (contents.torn && torn++ == 0) {
        firstTorn = fmt::format("line {}", line.number);
    }
    cut += line.cut ? 1 : 0;
    foreign += contents.messages.empty() && !contents.torn && told.empty() ? 1 : 0;
    const std::vector<Process*> writers = writersOf(contents);
    addInterrupted(contents.messages.empty() ? line.text : contents.before);
    for (std::size_t i = 0; i < contents.messages.size(); ++i) {
        const Message& message = contents.messages[i];
        if (writers[i] == nullptr) {
            continue;
        }
        if (i + 1 < contents.messages.size()) {
            interrupted.push_back({writers[i], message, std::string(message.text)});
        } else {
            writers[i]->add(message, isTorn);
        }
    }
}

std::vector<trace::ProcessTrace> Collector::finish()
{
    addInterrupted({});
    nameCommunicators();
    std::map<std::int64_t, std::int64_t> attempts; // a log of several job attempts contains a rank repeatedly
    std::vector<trace::ProcessTrace> traces;
    for (const auto& process : processes) {
        if (const auto rank = process->rank()) {
            process->setAttempt(attempts[*rank]++);
        }
        traces.push_back(process->finish());
        if (!version.empty()) {
            traces.back().settings.push_back(trace::settingRow({"library", "nccl"}, version));
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
    note(trace::Issue::LinesOfOthers, foreign, "lines of the log are not NCCL's");
    note(
        trace::Issue::MixedLine, torn,
        fmt::format("lines contain parts of several messages, the first is {}; parts that could be separated "
                    "were read",
                    firstTorn));
    note(trace::Issue::TornMessage, unknownPieces,
         "parts of lines have no recognisable process and were left out");
    note(trace::Issue::LongLine, cut, "lines were too long; only their beginning was read");
    note(trace::Issue::TooManyProcesses, tooMany,
         "lines belong to more processes than one log may have and were left out");
    return traces;
}

constexpr std::size_t kLongestLine = 16U
                                     << 10U; // a message has at most 1 KiB, but a line may contain several

/// Whether the file is text and any of its first lines is NCCL's.
bool recognises(std::string_view head, const std::filesystem::path&)
{
    const std::size_t first = head.find_first_not_of(" \n\t\r");
    if (first == std::string_view::npos || head[first] == '{' || head.find('\0') != std::string_view::npos) {
        return false;
    }
    std::size_t begin = 0;
    for (std::size_t at = head.find("NCCL "); at != std::string_view::npos; at = head.find("NCCL ", at + 1)) {
        begin = head.rfind('\n', at);
        begin = begin == std::string_view::npos ? 0 : begin + 1;
        if (!readLine(head.substr(begin, head.find('\n', at) - begin)).messages.empty()) {
            return true;
        }
    }
    return false;
}

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    const File file(job.path);
    Bytes bytes(file, 0, job.progress);
    LineReader lines(bytes, kLongestLine);
    Collector collector;
    Line line;
    while (lines.next(line)) {
        collector.add(line);
    }
    std::vector<trace::ProcessTrace> processes = collector.finish();
    if (processes.empty()) {
        throw Error(
            ErrorCode::Unusable,
            fmt::format("{} contains no line of NCCL's log in {} lines", job.path.string(), line.number),
            "Write the log with NCCL_DEBUG=INFO.");
    }
    if (!bytes.problem().empty()) {
        processes.front().issues.push_back({trace::Issue::TruncatedFile, 1, bytes.problem()});
    }
    return processes;
}

} // namespace

RINGSIDE_IMPORTER(nccl_log, .title = "NCCL's log (NCCL_DEBUG=INFO)", .files = "*.log, *.txt, *.out",
                  .recognises = recognises, .import = importFile, .placeInHang = 3);

} // namespace ringside::importers::importer_nccl_log
