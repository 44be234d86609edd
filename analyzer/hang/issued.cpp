// SPDX-License-Identifier: Apache-2.0
#include "hang/issued.h"

#include "model/communicator_calls.h"

#include <algorithm>
#include <unordered_map>

namespace ringside::hang {
namespace {

struct Call {
    std::int64_t communicator = 0;
    std::int64_t sequence = 0;
    bool pointToPoint = false;
    Issued issued;
};

bool isPointToPoint(std::string_view api)
{
    return model::isPointToPoint(model::collectiveKind(api));
}

Call fromRun(const trace::ProcessTrace& process, std::int64_t communicator, const model::Run& run)
{
    const trace::CollectiveCallRow& row = process.collectiveCalls[run.call];
    const std::string_view api = process.text(row.api);
    Call call;
    call.communicator = communicator;
    call.sequence = run.sequence;
    call.pointToPoint = isPointToPoint(api);
    call.issued.call = {std::string(api), row.count, row.bytes, row.datatype, row.reduction, row.peer};
    call.issued.startNs = run.startNs;
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

/// Returns the calls of a process by communicator id, each list in the order of sequence numbers.
std::unordered_map<std::int64_t, std::vector<Call>> callsOf(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, std::vector<Call>> calls;
    for (const auto& [communicator, runs] : model::runsOf(process)) {
        for (const model::Run& run : runs) {
            if (isNumber(run.sequence)) {
                calls[communicator].push_back(fromRun(process, communicator, run));
            }
        }
    }
    for (const trace::InFlightRow& row : lastInFlight(process)) {
        if (row.communicator != 0 && isNumber(row.sequence)) {
            calls[row.communicator].push_back(fromRow(process, row));
        }
    }
    for (auto& [communicator, list] : calls) {
        // A call that returned while the slots were read is in both lists. Its record holds more.
        std::stable_sort(list.begin(), list.end(),
                         [](const Call& a, const Call& b) { return a.sequence < b.sequence; });
        list.erase(std::unique(list.begin(), list.end(),
                               [](const Call& a, const Call& b) { return a.sequence == b.sequence; }),
                   list.end());
    }
    return calls;
}

struct MemberCalls {
    std::size_t rank = 0;
    std::int64_t communicatorRank = -1;
    std::vector<Call> calls;
};

/// Returns a member with the order of its calls. With `byPlace`, the order is the position among the
/// collectives, as in collective matching, because sends and receives share the numbering but differ between
/// ranks.
Member memberOf(const MemberCalls& of, bool byPlace)
{
    Member member;
    member.rank = of.rank;
    member.communicatorRank = of.communicatorRank;
    member.complete = of.calls.empty() || of.calls.back().sequence + 1 == std::ssize(of.calls);
    for (Call call : of.calls) {
        if (call.pointToPoint) {
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

struct Found {
    Group group;
    std::vector<MemberCalls> members; ///< by rank
};

} // namespace

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

std::vector<Group> issuedCalls(const model::Model& model)
{
    std::map<model::CommunicatorKey, Found> found;
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        const trace::ProcessTrace& process = model.processOf(model.ranks[i]);
        if (lacksCalls(process)) {
            continue;
        }
        auto calls = callsOf(process);
        for (const auto& [key, row] : model::communicatorsOf(model.ranks[i], process)) {
            if (key.first == 0 || row->size < 2) {
                continue;
            }
            Found& entry = found[key];
            entry.group.hash = key.first;
            entry.group.name = process.text(row->name);
            entry.group.size = row->size;
            entry.members.push_back({i, row->rank, std::move(calls[row->id])});
        }
    }
    std::vector<Group> groups;
    for (auto& [key, entry] : found) {
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
        if (any) {
            groups.push_back(std::move(entry.group));
        }
    }
    return groups;
}

} // namespace ringside::hang
