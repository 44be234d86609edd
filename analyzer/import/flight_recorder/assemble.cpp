// SPDX-License-Identifier: Apache-2.0
#include "import/flight_recorder/assemble.h"

#include "import/decimal.h"
#include "import/note.h"
#include "import/text.h"
#include "import/torch_words.h"
#include "trace/read/plausible.h"
#include "trace/vocabulary/nccl_result.h"
#include "values/number_list.h"
#include "values/parse_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ringside::importers::flight_recorder {
namespace {

constexpr std::int64_t kThread = 1;                ///< thread of all calls; a dump contains no thread ids
constexpr std::int64_t kHang = 1;                  ///< the hang of a dump with calls that have not completed
constexpr std::string_view kSummary = "coalesced"; ///< name of the entry that ends a batch of calls

/// Returns the word after the backend: "send" for "nccl:send 0->1".
std::string_view operationOf(std::string_view name)
{
    name.remove_prefix(std::min(name.size(), name.find(':') + 1)); // npos + 1 is 0
    return name.substr(0, name.find(' '));
}

struct Peers {
    std::int64_t self = -1;  ///< rank in the group
    std::int64_t other = -1; ///< rank in the group
};

/// Parses the peers in "nccl:send 0->1" or "nccl:recv 1<-0".
std::optional<Peers> peersOf(std::string_view name)
{
    const std::size_t arrow = std::min(name.find("->"), name.find("<-"));
    const std::size_t space = name.rfind(' ', arrow);
    if (arrow == std::string_view::npos || space == std::string_view::npos) {
        return std::nullopt;
    }
    const auto self = values::parseNumber<std::int64_t>(name.substr(space + 1, arrow - space - 1));
    const auto other = values::parseNumber<std::int64_t>(name.substr(arrow + 2));
    return self && other && *self >= 0 && *other >= 0 ? std::optional(Peers{*self, *other}) : std::nullopt;
}

/// Identifies a batch of calls: group, whether sends and receives, PyTorch's number.
using BatchKey = std::tuple<std::string, bool, std::int64_t>;
BatchKey batchOf(const Entry& entry)
{
    return {entry.group, entry.pointToPoint,
            entry.pointToPoint ? entry.messageNumber : entry.collectiveNumber};
}

class Assembler final {
public:
    Assembler(const Dump& dump, const Values& values) : m_dump(dump), m_values(values), m_strings(m_process)
    {}

    trace::ProcessTrace assemble()
    {
        setOrigin();
        collectBatches();
        for (const Entry& entry : m_dump.entries) {
            addEntry(entry);
        }
        addUnusedGroups();
        addBatchRows();
        addHang();
        addContext();
        addIssues();
        return std::move(m_process);
    }

private:
    struct Batch {
        std::size_t calls = 0;
        const Entry* summary = nullptr;
        std::vector<std::size_t> rows; ///< indices into the process's collective calls
    };

    void setOrigin()
    {
        m_originNs = m_dump.entries.empty() ? 0 : m_dump.entries.front().createdNs;
        for (const Entry& entry : m_dump.entries) {
            m_originNs = std::min(m_originNs, entry.createdNs);
        }
    }
    [[nodiscard]] std::int64_t timeOf(std::int64_t dateNs) const { return dateNs - m_originNs; }

    void collectBatches()
    {
        for (const Entry& entry : m_dump.entries) {
            Batch& batch = m_batches[batchOf(entry)];
            if (operationOf(entry.name) == kSummary) {
                batch.summary = &entry;
            } else {
                ++batch.calls;
            }
        }
    }

    [[nodiscard]] static std::string titleOf(const Entry& entry)
    {
        return entry.groupDescription.empty() || entry.groupDescription == "undefined"
                   ? entry.group
                   : entry.groupDescription;
    }

    std::int64_t addCommunicator(const std::string& name, const std::string& title, bool pointToPoint,
                                 std::int64_t createdNs)
    {
        const auto group = m_dump.groups.find(name);
        const std::string ranks = group != m_dump.groups.end() ? group->second.ranks : "";
        trace::CommunicatorRow row;
        row.id = static_cast<std::int64_t>(m_process.communicators.size()) + 1;
        row.hash = textHash(fmt::format("{} {}{}", name, ranks, pointToPoint ? " messages" : ""));
        row.size = static_cast<std::int64_t>(ranksOfText(ranks).size());
        row.rank = -1;
        row.name = m_strings.idOf(pointToPoint ? title + " (send and receive)" : title);
        row.createdNs = createdNs;
        m_process.communicators.push_back(row);
        if (!ranks.empty()) {
            m_process.settings.push_back({"flight_recorder", fmt::format("communicator {} ranks", row.id),
                                          values::numberListText(ranksOfText(ranks))});
        }
        return row.id;
    }
    /// PyTorch numbers sends and receives separately, so they get a communicator of their own.
    std::int64_t communicatorOf(const Entry& entry)
    {
        const auto [place, fresh] = m_communicators.try_emplace({entry.group, entry.pointToPoint}, 0);
        if (fresh) {
            place->second =
                addCommunicator(entry.group, titleOf(entry), entry.pointToPoint, timeOf(entry.createdNs));
        }
        return place->second;
    }

    /// Returns the entry whose CUDA events show the state of a call. In a batch it is the summary.
    [[nodiscard]] const Entry& watchedOf(const Entry& entry) const
    {
        const Batch& batch = m_batches.at(batchOf(entry));
        return batch.summary != nullptr ? *batch.summary : entry;
    }

    void addEntry(const Entry& entry)
    {
        if (!trace::isPlausibleTime(timeOf(entry.createdNs))) {
            ++m_implausible;
            return;
        }
        Batch& batch = m_batches[batchOf(entry)];
        const bool summary = operationOf(entry.name) == kSummary;
        if (summary && (entry.pointToPoint || batch.calls > 0)) {
            m_summaries += batch.calls == 0 ? 1 : 0; // its sends and receives were overwritten
            return;
        }
        if (!entry.pointToPoint && entry.collectiveNumber == 0) { // PyTorch counts from 1
            ++m_unnumbered;
            return;
        }
        addCall(entry, batch);
        noteState(entry);
    }

    void addCall(const Entry& entry, Batch& batch)
    {
        trace::CollectiveCallRow row;
        row.id = m_nextId++;
        const std::string_view function = ncclFunctionOf(operationOf(entry.name));
        row.api = m_strings.idOf(function.empty() ? std::string_view(entry.name) : function);
        row.communicator = communicatorOf(entry);
        row.sequence = entry.pointToPoint ? nextMessage(entry) : entry.collectiveNumber - 1;
        row.startNs = timeOf(entry.createdNs);
        row.endNs = row.startNs;
        row.thread = kThread;
        describe(entry, function, row);
        noteProgress(entry, row);
        batch.rows.push_back(m_process.collectiveCalls.size());
        m_process.collectiveCalls.push_back(row);
    }

    /// Adds how far the GPU came with a call that has not completed.
    void noteProgress(const Entry& entry, trace::CollectiveCallRow& row)
    {
        const Entry& watched = watchedOf(entry);
        row.result = watched.state == State::Completed ? 0 : trace::kNcclInProgress;
        if (watched.state == State::Started) {
            trace::InFlightRow running;
            running.api = row.api;
            running.communicator = row.communicator;
            running.sequence = row.sequence;
            running.count = row.count;
            running.startNs = timeOf(watched.startedNs.value_or(watched.createdNs));
            running.hang = kHang;
            m_process.inFlight.push_back(running);
        }
    }

    /// Returns the sequence number of a send or receive. PyTorch counts a batch as one, so that numbers of
    /// later calls move up where batches have several.
    std::int64_t nextMessage(const Entry& entry)
    {
        std::int64_t& next = m_messages[entry.group];
        const std::int64_t number = std::max(next, entry.messageNumber - 1);
        next = number + 1;
        return number;
    }

    void describe(const Entry& entry, std::string_view function, trace::CollectiveCallRow& row)
    {
        const bool received =
            function == "ncclReduceScatter" || function == "ncclScatter" || function == "ncclRecv";
        const Tensors& tensors = received ? entry.output : entry.input;
        const auto type = torchDatatype(tensors.datatype);
        row.datatype = type ? type->nccl : std::nullopt;
        // The sizes for each peer may differ between ranks. They are left out, so that they are not reported
        // as a mismatch.
        const bool even = function != "ncclAlltoAll" && entry.name.find("_v") == std::string::npos;
        if (even && !function.empty() && tensors.elements) {
            row.count = tensors.elements;
            std::uint64_t bytes = 0;
            if (type && !__builtin_mul_overflow(*row.count, type->bytes, &bytes)) {
                row.bytes = bytes;
            }
        }
        if (const auto peers = entry.pointToPoint ? peersOf(entry.name) : std::nullopt) {
            row.peer = peers->other;
            m_process.communicators[static_cast<std::size_t>(row.communicator) - 1].rank = peers->self;
        }
    }

    void noteState(const Entry& entry)
    {
        const Entry& watched = watchedOf(entry);
        m_latestNs = std::max({m_latestNs, entry.createdNs, watched.seenNs.value_or(0)});
        m_timed += entry.timed ? 1 : 0;
        m_stacks += m_values.childrenOf(entry.frames).empty() ? 0 : 1;
        auto& last = m_lastCompleted[{entry.group, entry.pointToPoint}];
        if (watched.state == State::Completed) {
            last = std::max(last, std::get<2>(batchOf(entry)));
            return;
        }
        ++m_uncompleted;
        m_firstUncompleted = m_firstUncompleted == nullptr ? &entry : m_firstUncompleted;
        m_waiting.try_emplace({entry.group, entry.pointToPoint}, &entry);
        if (watched.retired && watched.timeoutMs) {
            constexpr std::int64_t kMonthMs = std::int64_t{31} * 24 * 3600 * 1000;
            constexpr std::int64_t kNsAMs = 1'000'000;
            m_latestNs =
                std::max(m_latestNs, watched.createdNs + std::min(*watched.timeoutMs, kMonthMs) * kNsAMs);
        }
    }

    /// Adds the groups in which this rank has never made a call. That is only known if no group's calls were
    /// overwritten.
    void addUnusedGroups()
    {
        std::set<std::int64_t> seen;
        std::set<std::string> names;
        for (const Entry& entry : m_dump.entries) {
            seen.insert(entry.groupId);
            names.insert(entry.group);
        }
        const bool allSeen = m_dump.hasStatus && std::ranges::all_of(m_dump.usedGroups, [&](auto id) {
                                 return seen.contains(id);
                             });
        for (const auto& [name, group] : m_dump.groups) {
            if (allSeen && !names.contains(name)) {
                addCommunicator(name, group.description.empty() ? name : group.description, false, 0);
            }
        }
        m_groupsLost = (m_dump.hasStatus && !allSeen) || !m_dump.sharedNumbers.empty();
    }

    void addBatchRows()
    {
        for (auto& [key, batch] : m_batches) {
            if (batch.rows.size() < 2) {
                continue;
            }
            auto& calls = m_process.collectiveCalls;
            trace::GroupRow row;
            row.id = m_nextId++;
            row.calls = static_cast<std::int64_t>(batch.rows.size());
            row.startNs = calls[batch.rows.front()].startNs;
            row.endNs = row.startNs;
            for (const std::size_t place : batch.rows) {
                calls[place].groupId = row.id;
                row.startNs = std::min(row.startNs, calls[place].startNs);
                row.endNs = std::max(row.endNs, calls[place].endNs);
            }
            row.launchStartNs = row.endNs;
            row.thread = kThread;
            m_process.groups.push_back(row);
        }
    }

    [[nodiscard]] std::string describe(const Entry& entry) const
    {
        const bool started = watchedOf(entry).state == State::Started;
        return fmt::format("{} number {} of {}{}", operationOf(entry.name), std::get<2>(batchOf(entry)),
                           titleOf(entry),
                           started         ? ", started on the GPU"
                           : m_dump.starts ? ", not started"
                                           : "");
    }

    /// Adds a hang if the dump has collectives that had not completed, because the process then waits for
    /// them.
    void addHang()
    {
        if (m_uncompleted == 0) {
            addStack(m_dump.entries.empty() ? nullptr : &m_dump.entries.back(), "that completed",
                     std::nullopt);
            return;
        }
        trace::HangRow row;
        row.id = kHang;
        row.noticedNs = timeOf(m_latestNs);
        row.sinceNs = m_process.collectiveCalls.back().startNs;
        for (const trace::CollectiveCallRow& call : m_process.collectiveCalls) {
            row.sinceNs = std::max(row.sinceNs, call.startNs);
        }
        row.noticedNs = std::clamp(row.noticedNs, row.sinceNs, trace::kFarthestTimeNs);
        row.reason = fmt::format("the dump contains {} call{} that had not completed:", m_uncompleted,
                                 m_uncompleted == 1 ? "" : "s");
        constexpr int kMost = 4;
        int listed = 0;
        for (const auto& [group, entry] : m_waiting) {
            if (listed++ < kMost) {
                const std::int64_t last = m_lastCompleted[group];
                row.reason += fmt::format("{} {} ({})", listed > 1 ? ";" : "", describe(*entry),
                                          last > 0 ? fmt::format("the last that completed is {}", last)
                                                   : "no recorded one completed");
            }
        }
        m_process.hangs.push_back(std::move(row));
        addStack(m_firstUncompleted, "that has not completed", kHang);
    }

    void addStack(const Entry* entry, const char* outcome, std::optional<std::int64_t> hang)
    {
        constexpr std::size_t kMostFrames = 64;
        const auto& frames = m_values.childrenOf(entry != nullptr ? entry->frames : Values::kNone);
        m_stacks -= frames.empty() ? 0 : 1;
        for (std::size_t i = 0; i < std::min(frames.size(), kMostFrames); ++i) {
            trace::StackRow row;
            row.source = "python";
            row.hang = hang;
            row.takenNs = timeOf(entry->createdNs);
            row.frame = static_cast<std::int64_t>(i);
            row.thread = fmt::format("the call of {} number {} {}", operationOf(entry->name),
                                     std::get<2>(batchOf(*entry)), outcome);
            row.text =
                cleanText(fmt::format("{} ({}:{})", m_values.textOf(m_values.find(frames[i], "name")),
                                      m_values.textOf(m_values.find(frames[i], "filename")),
                                      m_values.integerOf(m_values.find(frames[i], "line")).value_or(0)));
            m_process.stacks.push_back(std::move(row));
        }
    }

    void addContext()
    {
        m_process.threads.push_back({kThread, 0, ""});
        m_process.process.startNs = 0;
        if (!m_dump.entries.empty()) {
            m_process.clockSamples.push_back({0, m_originNs, std::nullopt, std::nullopt});
        }
        m_process.settings.push_back(trace::settingRow({"flight_recorder", "version"}, m_dump.version));
        if (m_dump.starts) {
            m_process.settings.push_back({"flight_recorder", "time_discovered_started_ns", "known"});
        }
        if (!m_dump.ncclVersion.empty()) {
            m_process.settings.push_back(trace::settingRow({"library", "nccl"}, m_dump.ncclVersion));
        }
        const auto tier = [this](trace::TierName name, bool active, const char* reason) {
            m_process.tiers.push_back({std::move(name), active, reason, std::nullopt, std::nullopt});
        };
        tier("host", !m_process.collectiveCalls.empty(),
             "the last collectives before the dump, as PyTorch's flight recorder kept them");
        tier("device", false, "the flight recorder does not record when collectives ran on the GPU");
        tier("nvtx", false, "the flight recorder records only collectives");
        tier("nccl", false, "the flight recorder does not record NCCL's algorithms, protocols and channels");
        tier("sampled", false, "the flight recorder does not sample GPU, links or host");
    }

    void addIssues()
    {
        note(m_process, trace::Issue::CallsOverwritten,
             m_dump.entries.empty() ? 0 : m_dump.entries.front().recordId,
             "earlier calls were overwritten before the dump. The flight recorder keeps the last "
             "TORCH_FR_BUFFER_SIZE calls; set a larger number to keep more");
        note(m_process, trace::Issue::GroupsLost, m_groupsLost ? 1 : 0,
             "all calls of a process group were overwritten; the progress of this rank in it is not known");
        note(m_process, trace::Issue::GroupsUndescribed, unknownGroups(),
             "the dump does not list the ranks of process groups; missing ranks in them are not known");
        note(m_process, trace::Issue::DamagedEntry, m_dump.damaged + m_unnumbered,
             "entries lack the function or the number of the call and were left out");
        note(m_process, trace::Issue::ImplausibleTime, m_dump.implausible + m_implausible,
             "entries have impossible times and were left out");
        note(m_process, trace::Issue::DurationsLeftOut, m_timed,
             "collectives have a duration without its start; the duration was left out");
        note(
            m_process, trace::Issue::StacksLeftOut, m_stacks,
            "calls have a stack; only that of the first uncompleted call, or else of the last call, is kept");
        note(m_process, trace::Issue::SummariesLeftOut, m_summaries,
             "the sends and receives of batches were overwritten, and only their summaries remain");
    }
    [[nodiscard]] std::int64_t unknownGroups() const
    {
        return std::ranges::count_if(m_process.communicators,
                                     [](const trace::CommunicatorRow& row) { return row.size == 0; });
    }

    using GroupKey = std::pair<std::string, bool>; ///< name, whether of sends and receives

    const Dump& m_dump;
    const Values& m_values;
    trace::ProcessTrace m_process;
    StringTable m_strings;
    std::int64_t m_originNs = 0;
    std::int64_t m_latestNs = 0; ///< latest date in the dump
    std::map<BatchKey, Batch> m_batches;
    std::map<GroupKey, std::int64_t> m_communicators;
    std::map<std::string, std::int64_t> m_messages; ///< next sequence number of a send or receive, by group
    std::map<GroupKey, std::int64_t> m_lastCompleted;
    std::map<GroupKey, const Entry*> m_waiting; ///< first entry that had not completed
    const Entry* m_firstUncompleted = nullptr;
    std::int64_t m_nextId = 1;
    std::int64_t m_uncompleted = 0, m_timed = 0, m_stacks = 0, m_summaries = 0, m_unnumbered = 0,
                 m_implausible = 0;
    bool m_groupsLost = false;
};

} // namespace

trace::ProcessTrace assemble(const Dump& dump, const Values& values)
{
    return Assembler(dump, values).assemble();
}

} // namespace ringside::importers::flight_recorder
