// SPDX-License-Identifier: Apache-2.0
// Imports what PyTorch's watchdog writes into the output of a job: which calls timed out on which ranks, and
// the last call that each of these ranks issued and completed. A job that hangs often leaves nothing else.
#include "import/bytes.h"
#include "import/importer.h"
#include "import/input.h"
#include "import/text.h"
#include "import/torch_watchdog/watchdog_line.h"
#include "import/torch_words.h"
#include "trace/vocabulary/nccl_result.h"
#include "values/number_list.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>

namespace ringside::importers::importer_torch_watchdog {
namespace {

using namespace watchdog;

constexpr std::string_view kTimedOut = "Watchdog caught collective operation timeout: WorkNCCL(";
constexpr std::size_t kLongestLine = 16U << 10U;
constexpr std::size_t kMostRanks = 1 << 20;
constexpr std::size_t kMostGroups = 4096; ///< of a rank

/// A job writes for days, and the watchdog at its end.
bool endsWithTimeout(const std::filesystem::path& path)
{
    constexpr std::streamoff kTail = 1 << 20;
    std::ifstream file(path, std::ios::binary);
    file.seekg(0, std::ios::end);
    file.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(file.tellg()) - kTail));
    const std::string tail{std::istreambuf_iterator<char>(file), {}};
    return tail.find(kTimedOut) != std::string::npos;
}

bool recognises(std::string_view head, const std::filesystem::path& path)
{
    const std::size_t first = head.find_first_not_of(" \n\t\r");
    if (first == std::string_view::npos || head[first] == '{' || head.find('\0') != std::string_view::npos) {
        return false;
    }
    return head.find(kTimedOut) != std::string_view::npos ||
           (head.size() >= kHeadBytes && endsWithTimeout(path));
}

/// What a rank said of a process group.
struct GroupProgress {
    std::string name; ///< such as "default_pg"
    std::map<std::int64_t, TimedOut> timedOut;
    std::map<std::int64_t, std::string> operations; ///< their names, by number
    std::optional<std::int64_t> enqueued;
    std::optional<std::int64_t> completed;
};

struct Rank {
    std::map<std::string, GroupProgress> groups; ///< by PyTorch's name; "" until a line names it
    std::optional<std::int64_t> lastNs;
};

using Ranks = std::map<std::int64_t, Rank>;

/// A line about a call that timed out does not name its group; the next line of that rank about the call
/// does.
void add(Ranks& ranks, const WatchdogLine& line)
{
    if (ranks.size() >= kMostRanks && !ranks.contains(line.rank)) {
        return;
    }
    Rank& rank = ranks[line.rank];
    rank.lastNs = line.timeNs ? line.timeNs : rank.lastNs;
    const std::string group = cleanText(line.group);
    if (rank.groups.size() >= kMostGroups && !rank.groups.contains(group)) {
        return;
    }
    if (line.timedOut) {
        GroupProgress& unnamed = rank.groups[""];
        TimedOut& timedOut =
            unnamed.timedOut.try_emplace(line.timedOut->number, *line.timedOut).first->second;
        timedOut.operation = {}; // it belongs to the line
        unnamed.operations.try_emplace(line.timedOut->number, cleanText(line.timedOut->operation));
        return;
    }
    GroupProgress& named = rank.groups[group];
    named.name = named.name.empty() ? cleanText(line.groupName) : named.name;
    named.enqueued = std::max(named.enqueued, line.enqueued);
    named.completed = std::max(named.completed, line.completed);
    GroupProgress& unnamed = rank.groups[""];
    const auto timedOut = line.at ? unnamed.timedOut.find(*line.at) : unnamed.timedOut.end();
    if (&named != &unnamed && timedOut != unnamed.timedOut.end()) {
        named.timedOut.insert(*timedOut);
        named.operations[*line.at] = unnamed.operations[*line.at];
        unnamed.timedOut.erase(timedOut);
    }
}

class Assembler final {
public:
    /// `allRanks`: those of the job, as a list.
    Assembler(std::int64_t rank, const Ranks& ranks, const std::string& allRanks, std::int64_t originNs)
        : m_strings(m_process)
        , m_of(ranks.at(rank))
        , m_ranks(ranks)
        , m_allRanks(allRanks)
        , m_originNs(originNs)
        , m_worldSize(ranks.rbegin()->first + 1)
    {
        trace::RankRow row;
        row.rank = rank;
        row.source = "watchdog";
        m_process.ranks.push_back(std::move(row));
    }

    trace::ProcessTrace assemble()
    {
        for (const auto& [group, progress] : m_of.groups) {
            if (!progress.timedOut.empty() || progress.enqueued) {
                addGroup(group, progress);
            }
        }
        addContext();
        return std::move(m_process);
    }

private:
    void addGroup(const std::string& group, const GroupProgress& progress)
    {
        trace::CommunicatorRow row;
        row.id = static_cast<std::int64_t>(m_process.communicators.size()) + 1;
        row.hash = textHash("watchdog " + group);
        row.rank = -1;
        // The default group holds all ranks. A line without a group is most often of it.
        const bool all = group.empty() || group == "0";
        row.size = all ? m_worldSize : leastSizeOf(group);
        row.name = m_strings.idOf(!progress.name.empty() ? progress.name
                                  : group.empty()        ? std::string("that the log does not name")
                                                         : group);
        m_process.communicators.push_back(row);
        if (all) {
            m_process.settings.push_back({"nccl", fmt::format("communicator {} ranks", row.id), m_allRanks});
        }
        if (progress.completed && *progress.completed > 0) {
            addCall(row.id, *progress.completed, "", nullptr, true);
        }
        for (const auto& [number, timedOut] : progress.timedOut) {
            addCall(row.id, number, progress.operations.at(number), &timedOut, false);
            addHang(progress, number, timedOut);
        }
        const bool more = progress.enqueued && *progress.enqueued > progress.completed.value_or(0) &&
                          !progress.timedOut.contains(*progress.enqueued);
        if (more) {
            addCall(row.id, *progress.enqueued, "", nullptr, false);
        }
    }

    /// At least the ranks that tell of it. A group of one rank makes no calls that time out.
    [[nodiscard]] std::int64_t leastSizeOf(const std::string& group) const
    {
        return std::max<std::int64_t>(2, std::ranges::count_if(m_ranks, [&](const auto& rank) {
                                          return rank.second.groups.contains(group);
                                      }));
    }

    void addCall(std::int64_t communicator, std::int64_t number, const std::string& operation,
                 const TimedOut* timedOut, bool completed)
    {
        trace::CollectiveCallRow row;
        row.id = static_cast<std::int64_t>(m_process.collectiveCalls.size()) + 1;
        const std::string_view function = ncclFunctionOf(operation);
        row.api = m_strings.idOf(function.empty() ? std::string_view(operation) : function);
        row.communicator = communicator;
        row.sequence = number - 1;
        row.result = completed ? 0 : trace::kNcclInProgress;
        row.thread = 1;
        if (timedOut != nullptr) {
            row.startNs = nowNs() - timedOut->ranMs * 1'000'000;
            const bool out = function == "ncclReduceScatter" || function == "ncclScatter";
            row.count = function == "ncclAlltoAll" ? std::nullopt
                        : out                      ? timedOut->elementsOut
                                                   : timedOut->elementsIn;
        } else {
            row.startNs = nowNs();
        }
        row.endNs = row.startNs;
        m_process.collectiveCalls.push_back(row);
    }

    void addHang(const GroupProgress& progress, std::int64_t number, const TimedOut& timedOut)
    {
        trace::HangRow row;
        row.id = static_cast<std::int64_t>(m_process.hangs.size()) + 1;
        row.noticedNs = nowNs();
        row.sinceNs = row.noticedNs - timedOut.ranMs * 1'000'000;
        row.reason = fmt::format("PyTorch's watchdog: {} number {} did not complete in {} s",
                                 progress.operations.at(number), number, timedOut.ranMs / 1000);
        m_process.hangs.push_back(std::move(row));
    }

    [[nodiscard]] std::int64_t nowNs() const { return m_of.lastNs ? *m_of.lastNs - m_originNs : 0; }

    void addContext()
    {
        m_process.threads.push_back({1, 0, ""});
        std::ranges::stable_sort(m_process.collectiveCalls, {}, &trace::CollectiveCallRow::startNs);
        const auto tier = [this](trace::TierName name, bool active, const char* reason) {
            m_process.tiers.push_back({std::move(name), active, reason, std::nullopt, std::nullopt});
        };
        tier("host", true, "lines of PyTorch's watchdog: the calls that timed out, the last ones of a group");
        tier("device", false, "the watchdog does not tell when collectives ran on the GPU");
        tier("nvtx", false, "the watchdog tells only of collectives");
        tier("nccl", false, "the watchdog does not tell NCCL's algorithms, protocols and channels");
        tier("sampled", false, "the watchdog does not sample GPU, links or host");
    }

    trace::ProcessTrace m_process;
    StringTable m_strings;
    const Rank& m_of;
    const Ranks& m_ranks;
    const std::string& m_allRanks;
    std::int64_t m_originNs;
    std::int64_t m_worldSize; ///< at least
};

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    const File file(job.path);
    Bytes bytes(file, 0, job.progress);
    LineReader lines(bytes, kLongestLine);
    Line line;
    Ranks ranks;
    std::optional<std::int64_t> originNs;
    while (lines.next(line)) {
        if (const auto said = readWatchdogLine(line.text)) {
            add(ranks, *said);
            originNs = said->timeNs && (!originNs || *said->timeNs < *originNs) ? said->timeNs : originNs;
        }
    }
    if (ranks.empty()) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} contains no line of PyTorch's watchdog in {} lines", job.path.string(),
                                line.number),
                    "Give the output of a job in which a collective timed out.");
    }
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(ranks.rbegin()->first + 1));
    std::iota(numbers.begin(), numbers.end(), 0);
    const std::string all = values::numberListText(numbers);
    std::vector<trace::ProcessTrace> processes;
    for (const auto& [number, rank] : ranks) {
        processes.push_back(Assembler(number, ranks, all, originNs.value_or(0)).assemble());
    }
    return processes;
}

} // namespace

RINGSIDE_IMPORTER(torch_watchdog, .title = "PyTorch's watchdog in a job's output",
                  .files = "*.log, *.txt, *.out", .recognises = recognises, .import = importFile,
                  .placeInHang = 2);

} // namespace ringside::importers::importer_torch_watchdog
