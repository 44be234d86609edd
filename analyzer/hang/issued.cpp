// SPDX-License-Identifier: Apache-2.0
#include "hang/issued.h"

#include "model/communicator_calls.h"
#include "trace/vocabulary/nccl_result.h"
#include "values/number_list.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

namespace ringside::hang {
namespace {

struct Call {
    std::int64_t communicator = 0;
    std::int64_t sequence = 0;
    bool pointToPoint = false;
    Issued issued;
};

std::string_view settingOf(const trace::ProcessTrace& process, const trace::SettingSource& source,
                           std::string_view name)
{
    const auto found = std::ranges::find_if(process.settings, [&](const trace::SettingRow& row) {
        return row.source == source && row.name == name;
    });
    return found != process.settings.end() ? std::string_view(found->value) : std::string_view();
}

bool isFlightRecorder(const trace::ProcessTrace& process)
{
    return !settingOf(process, "flight_recorder", "version").empty();
}

/// Whether the trace tells of each call whether it completed, as PyTorch's flight recorder and watchdog do.
bool tellsStates(const trace::ProcessTrace& process)
{
    const auto saidByWatchdog = [](const trace::RankRow& row) { return row.source == "watchdog"; };
    return isFlightRecorder(process) || std::ranges::any_of(process.ranks, saidByWatchdog);
}

/// Returns the list of the job's ranks in a communicator. Empty if the trace does not hold it.
std::string_view ranksText(const trace::ProcessTrace& process, std::int64_t communicator)
{
    const std::string name = "communicator " + std::to_string(communicator) + " ranks";
    const std::string_view dumped = settingOf(process, "flight_recorder", name);
    return dumped.empty() ? settingOf(process, "nccl", name) : dumped;
}

/// Returns how many lines of the process's log may be calls and cannot be read.
std::int64_t tornCallsOf(const trace::ProcessTrace& process)
{
    return values::parseNumber<std::int64_t>(settingOf(process, "nccl", "torn calls")).value_or(0);
}

/// Returns how many pieces of lines may be calls of any process, because their writer is not known.
std::int64_t tornPieces(const model::Model& model)
{
    std::int64_t pieces = 0;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        for (const trace::IssueRow& issue : process.issues) {
            pieces += issue.is(trace::Issue::TornMessage) ? issue.count : 0;
        }
    }
    return pieces;
}

/// What a trace tells of the GPU's progress with its calls.
struct Tells {
    explicit Tells(const trace::ProcessTrace& process)
        : states(tellsStates(process))
        , starts(!settingOf(process, "flight_recorder", "time_discovered_started_ns").empty())
    {}
    [[nodiscard]] Progress progressOf(const trace::CollectiveCallRow& row) const
    {
        if (states && row.result == trace::kNcclInProgress) {
            return starts ? Progress::Queued : Progress::Open;
        }
        return states ? Progress::Done : Progress::NotKnown;
    }
    bool states = false;
    bool starts = false;
};

Call fromRun(const trace::ProcessTrace& process, std::int64_t communicator, const model::Run& run,
             const Tells& tells)
{
    const trace::CollectiveCallRow& row = process.collectiveCalls[run.call];
    const std::string_view api = process.text(row.api);
    Call call;
    call.communicator = communicator;
    call.sequence = run.sequence;
    call.pointToPoint = isPointToPoint(api);
    call.issued.call = {std::string(api), row.count, row.bytes, row.datatype, row.reduction, row.peer};
    call.issued.startNs = run.startNs;
    call.issued.progress = tells.progressOf(row);
    call.issued.batch = row.groupId;
    return call;
}

Call fromRow(const trace::ProcessTrace& process, const trace::InFlightRow& row)
{
    Call call;
    call.communicator = row.communicator;
    call.sequence = row.sequence;
    const std::string_view api = process.text(row.api);
    call.pointToPoint = isPointToPoint(api);
    call.issued.call = {std::string(api), row.count, row.bytes, {}, {}, {}};
    call.issued.startNs = row.startNs;
    call.issued.inCall = true;
    return call;
}

/// A larger number is damage: no program makes so many calls.
bool isNumber(std::int64_t sequence)
{
    return sequence >= 0 && sequence < std::int64_t{1} << 62;
}

/// A sum that is not known if a part is not known or the sum too large.
std::optional<std::uint64_t> sumOf(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b)
{
    std::uint64_t sum = 0;
    return a && b && !__builtin_add_overflow(*a, *b, &sum) ? std::optional(sum) : std::nullopt;
}

/// Merges calls with one number: those of a batch become one call. A call that returned while the slots were
/// read is in the list twice; its record comes first and holds more.
std::vector<Call> withoutRepeated(const std::vector<Call>& calls)
{
    std::vector<Call> kept;
    for (const Call& call : calls) {
        if (kept.empty() || kept.back().sequence != call.sequence) {
            kept.push_back(call);
        } else if (call.issued.batch != 0 && call.issued.batch == kept.back().issued.batch) {
            Signature& whole = kept.back().issued.call;
            ++whole.calls;
            whole.count = sumOf(whole.count, call.issued.call.count);
            whole.bytes = sumOf(whole.bytes, call.issued.call.bytes);
        }
    }
    return kept;
}

/// Returns the ids of groups that threads opened last and did not close. A thread that is in ncclGroupEnd has
/// closed its group. Only our own recordings hold when groups were closed.
std::set<std::int64_t> openGroups(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, std::int64_t> last; // by thread
    if (!process.process.collectorVersion.empty()) {
        for (const trace::CollectiveCallRow& row : process.collectiveCalls) {
            last[row.thread] = row.groupId;
        }
    }
    for (const trace::InFlightRow& row : lastInFlight(process)) {
        if (process.text(row.api) == "ncclGroupEnd") {
            last.erase(row.thread);
        }
    }
    std::set<std::int64_t> open;
    for (const auto& [thread, group] : last) {
        open.insert(group);
    }
    open.erase(0);
    for (const trace::GroupRow& closed : process.groups) {
        open.erase(closed.id);
    }
    return open;
}

/// Returns the calls of a process by communicator id, each list in the order of sequence numbers.
std::unordered_map<std::int64_t, std::vector<Call>> callsOf(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, std::vector<Call>> calls;
    const Tells tells(process);
    const std::set<std::int64_t> open = openGroups(process);
    for (const auto& [communicator, runs] : model::runsOf(process)) {
        for (const model::Run& run : runs) {
            if (isNumber(run.sequence) && !open.contains(process.collectiveCalls[run.call].groupId)) {
                calls[communicator].push_back(fromRun(process, communicator, run, tells));
            }
        }
    }
    for (const trace::InFlightRow& row : lastInFlight(process)) {
        if (row.communicator != 0 && row.thread != 0 && isNumber(row.sequence)) {
            calls[row.communicator].push_back(fromRow(process, row));
        }
    }
    for (auto& [communicator, list] : calls) {
        std::stable_sort(list.begin(), list.end(),
                         [](const Call& a, const Call& b) { return a.sequence < b.sequence; });
        list = withoutRepeated(list);
    }
    for (const trace::InFlightRow& row : lastInFlight(process)) {
        if (row.thread == 0) { // the GPU has started it
            auto& list = calls[row.communicator];
            const auto call = std::ranges::lower_bound(list, row.sequence, {}, &Call::sequence);
            if (call != list.end() && call->sequence == row.sequence) {
                call->issued.progress = Progress::Running;
            }
        }
    }
    return calls;
}

struct MemberCalls {
    std::size_t rank = 0;
    std::int64_t communicatorRank = -1;
    std::vector<Call> calls;
    bool statesKnown = false;
    std::int64_t torn = 0;
};

/// Returns a member with the order of its calls. With `byPlace`, the order is the position among the
/// collectives, as in collective matching, because sends and receives share the numbering but differ between
/// ranks.
Member memberOf(const MemberCalls& of, bool byPlace)
{
    Member member;
    member.rank = of.rank;
    member.communicatorRank = of.communicatorRank;
    member.statesKnown = of.statesKnown;
    const std::int64_t end = of.calls.empty() ? 0 : of.calls.back().sequence + 1;
    member.torn = of.torn;
    member.unplaced = std::max<std::int64_t>(0, of.torn - (end - std::ssize(of.calls)));
    // A dump without calls may have lost them all.
    member.complete =
        of.calls.empty() ? !of.statesKnown : of.calls.back().sequence + 1 == std::ssize(of.calls);
    for (Call call : of.calls) {
        if (call.pointToPoint) {
            call.issued.order = call.sequence;
            member.pointToPoint.push_back(std::move(call.issued));
        } else {
            call.issued.order = byPlace ? member.next : call.sequence;
            member.next = call.issued.order + 1;
            member.calls.push_back(std::move(call.issued));
        }
    }
    return member;
}

/// A file of another tool may lack its end, or hold only completed calls. A call that is missing there may
/// have been made.
bool lacksCalls(const trace::ProcessTrace& process)
{
    return std::any_of(process.issues.begin(), process.issues.end(), [](const trace::IssueRow& issue) {
        return issue.is(trace::Issue::TruncatedFile) || issue.is(trace::Issue::CompletedCallsOnly);
    });
}

/// Calls f with each call of each member of the groups.
template <class F>
void forEachCall(std::vector<Group>& groups, const F& f)
{
    for (Group& group : groups) {
        for (Member& member : group.members) {
            for (std::vector<Issued>* const calls : {&member.calls, &member.pointToPoint}) {
                for (Issued& call : *calls) {
                    f(member.rank, call);
                }
            }
        }
    }
}

/// Decides of each open call whether it runs or is queued, if the dump does not tell.
void presumeRunning(std::vector<Group>& groups)
{
    std::unordered_map<std::size_t, const Issued*> first; // by rank
    forEachCall(groups, [&](std::size_t rank, const Issued& call) {
        const Issued*& known = first[rank];
        if (call.progress == Progress::Open && (known == nullptr || call.startNs < known->startNs)) {
            known = &call;
        }
    });
    std::unordered_map<std::size_t, std::pair<std::int64_t, std::int64_t>> running; // start, batch
    for (const auto& [rank, call] : first) {
        if (call != nullptr) {
            running[rank] = {call->startNs, call->batch};
        }
    }
    forEachCall(groups, [&](std::size_t rank, Issued& call) {
        if (call.progress == Progress::Open) {
            const auto& [startNs, batch] = running[rank];
            const bool runs = call.startNs == startNs || (batch != 0 && call.batch == batch);
            call.progress = runs ? Progress::Running : Progress::Queued;
        }
    });
}

struct Found {
    Group group;
    std::vector<MemberCalls> members; ///< by rank
};

/// Whether a rank that did not use a communicator is known to have made no call there: its dump tells the
/// state of each call, it is whole, and it does not lack whole groups.
bool knowsItsGroups(const trace::ProcessTrace& process)
{
    return isFlightRecorder(process) && !lacksCalls(process) &&
           std::ranges::none_of(process.issues, [](const trace::IssueRow& issue) {
               return issue.is(trace::Issue::GroupsLost);
           });
}

/// Fills in who has which rank in the communicator: from the members, or from the list of ranks.
void nameByPlace(const model::Model& model, Group& group)
{
    if (!group.ranks.empty()) {
        for (Member& member : group.members) {
            const auto place = std::ranges::find(group.ranks, model.ranks[member.rank].rank);
            member.communicatorRank = place != group.ranks.end() ? place - group.ranks.begin() : -1;
        }
        return;
    }
    constexpr std::int64_t kMostMembers = 1 << 20; // a damaged size
    for (const Member& member : group.members) {
        const std::int64_t place = member.communicatorRank;
        if (place >= 0 && place < group.size && group.size <= kMostMembers) {
            group.ranks.resize(static_cast<std::size_t>(group.size), -1);
            group.ranks[static_cast<std::size_t>(place)] = model.ranks[member.rank].rank;
        }
    }
}

/// Adds the ranks of a group that never used it as members without calls.
void addUnusedMembers(const model::Model& model, Found& found)
{
    for (std::size_t place = 0; place < found.group.ranks.size(); ++place) {
        const auto rank =
            std::ranges::lower_bound(model.ranks, found.group.ranks[place], {}, &model::Rank::rank);
        const auto index = static_cast<std::size_t>(rank - model.ranks.begin());
        if (rank == model.ranks.end() || rank->rank != found.group.ranks[place] ||
            !knowsItsGroups(model.processOf(*rank))) {
            continue;
        }
        const auto at = std::ranges::lower_bound(found.members, index, {}, &MemberCalls::rank);
        if (at == found.members.end() || at->rank != index) {
            found.members.insert(at, {index, static_cast<std::int64_t>(place), {}, true, 0});
        }
    }
}

} // namespace

bool needsAll(std::string_view function)
{
    constexpr std::array<std::string_view, 4> kAll{"ncclAllReduce", "ncclAllGather", "ncclReduceScatter",
                                                   "ncclAlltoAll"};
    return std::ranges::find(kAll, function) != kAll.end();
}

bool isPointToPoint(std::string_view function)
{
    return model::isPointToPoint(model::collectiveKind(function));
}

const Issued* Member::at(std::int64_t order) const
{
    const auto found = std::lower_bound(calls.begin(), calls.end(), order,
                                        [](const Issued& call, std::int64_t o) { return call.order < o; });
    return found != calls.end() && found->order == order ? &*found : nullptr;
}

bool Group::isComparable() const
{
    return !ordersByPlace ||
           std::all_of(members.begin(), members.end(), [](const Member& member) { return member.complete; });
}

std::vector<trace::InFlightRow> lastInFlight(const trace::ProcessTrace& process)
{
    std::vector<trace::InFlightRow> atEnd;
    std::vector<trace::InFlightRow> atHang;
    std::optional<std::int64_t> lastHang;
    if (!process.hangs.empty() && !process.hangs.back().endedNs) {
        lastHang = process.hangs.back().id;
    }
    for (const trace::InFlightRow& row : process.inFlight) {
        if (!row.hang) {
            atEnd.push_back(row);
        } else if (row.hang == lastHang) {
            atHang.push_back(row);
        }
    }
    return atEnd.empty() ? atHang : atEnd;
}

std::int64_t callsInOpenGroups(const trace::ProcessTrace& process)
{
    const std::set<std::int64_t> open = openGroups(process);
    return std::ranges::count_if(process.collectiveCalls, [&](const trace::CollectiveCallRow& row) {
        return open.contains(row.groupId);
    });
}

std::vector<Group> issuedCalls(const model::Model& model)
{
    std::map<model::CommunicatorKey, Found> found;
    const std::int64_t pieces = tornPieces(model);
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        const trace::ProcessTrace& process = model.processOf(model.ranks[i]);
        if (lacksCalls(process)) {
            continue;
        }
        auto calls = callsOf(process);
        const std::int64_t torn = tornCallsOf(process) + pieces;
        for (const auto& [key, row] : model::communicatorsOf(model.ranks[i], process)) {
            if (key.first == 0 || row->size < 2) {
                continue;
            }
            Found& entry = found[key];
            entry.group.hash = key.first;
            entry.group.name = process.text(row->name);
            entry.group.size = row->size;
            if (entry.group.ranks.empty()) {
                entry.group.ranks = values::numbersOfList(ranksText(process, row->id));
            }
            entry.members.push_back({i, row->rank, std::move(calls[row->id]), tellsStates(process), torn});
        }
    }
    std::vector<Group> groups;
    for (auto& [key, entry] : found) {
        addUnusedMembers(model, entry);
        bool any = false;
        for (const MemberCalls& member : entry.members) {
            any = any || !member.calls.empty();
            entry.group.ordersByPlace =
                entry.group.ordersByPlace || std::any_of(member.calls.begin(), member.calls.end(),
                                                         [](const Call& call) { return call.pointToPoint; });
        }
        for (const MemberCalls& member : entry.members) {
            entry.group.members.push_back(memberOf(member, entry.group.ordersByPlace));
        }
        nameByPlace(model, entry.group);
        if (any) {
            groups.push_back(std::move(entry.group));
        }
    }
    presumeRunning(groups);
    return groups;
}

} // namespace ringside::hang
