// SPDX-License-Identifier: Apache-2.0
#include "model/collective_match.h"

#include "model/communicator_calls.h"
#include "model/message_match.h"
#include "model/work_times.h"
#include "trace/vocabulary/datatype.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace ringside::model {
namespace {

using Lengths = std::unordered_map<std::uint64_t, std::int64_t>; ///< ns, by id of a call or group

/// Returns how long calls took for which another tool gives only the duration and not the time.
Lengths lengthsOf(const trace::EventTimeColumns& times)
{
    Lengths lengths;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times.uncertaintyNs[i] == trace::kUnboundedNs) {
            lengths[times.call[i]] = std::max<std::int64_t>(0, times.endNs[i] - times.startNs[i]);
        }
    }
    return lengths;
}

using OperationKey = std::tuple<std::uint64_t, std::size_t, std::int64_t>;

/// One rank's part of an operation: a call on a communicator, or the calls on it that a group fused.
struct Part {
    std::size_t firstCall = 0;
    std::uint64_t launch = 0;
    std::int64_t calledNs = 0;
    std::int64_t order = 0;
    std::optional<std::uint64_t> bytes = 0;
    std::uint32_t calls = 0;
    bool exchange = false; ///< sends and receives that together form an all-to-all
    bool byPlace = false;  ///< `order` is the place among the calls that were read, not a sequence number
};

struct Times {
    WorkTimes work;
    Lengths lengths;
};

class Matcher final {
public:
    Matcher(const trace::RunTrace& run, const std::vector<Rank>& ranks, std::int64_t worldSize,
            const StretchTimes& stretch)
        : m_run(run)
        , m_ranks(ranks)
        , m_stretch(stretch)
        , m_complete(static_cast<std::int64_t>(ranks.size()) == worldSize)
    {}
    void addRank(std::size_t index, const CommunicationWork& communication);
    MatchResult finish();

private:
    void addPart(const CommunicatorKey& key, const trace::CommunicatorRow& row, std::size_t rank,
                 const Part& part, const Times& times);
    void noteMismatch(const Operation& operation, std::size_t rank, const trace::CollectiveCallRow& call);
    /// Returns whether the operation belongs to the stretch: by the call of its first participant.
    [[nodiscard]] bool isOwn(const Operation& operation) const
    {
        return m_stretch.holds(m_ranks[operation.participants.front().rank].process, operation.calledNs);
    }

    const trace::RunTrace& m_run;
    const std::vector<Rank>& m_ranks;
    const StretchTimes& m_stretch;
    bool m_complete;                                   ///< no rank of the job is missing
    std::map<CommunicatorKey, std::int64_t> m_members; ///< how many ranks have the communicator
    std::map<OperationKey, Operation> m_operations;
    std::int64_t m_mismatches = 0;
    std::int64_t m_untyped = 0;
    std::int64_t m_unmatched = 0; ///< operations that disagree, of groups that are not known
    std::string m_firstMismatch;
};

/// Returns whether the trace contains anything that shows which ranks belong to the communicator.
bool isKnown(const trace::CommunicatorRow& row)
{
    return row.size > 0 || row.name != 0 || row.ncclHash;
}

/// Returns whether a rank's part is a different operation from the one at the same place in the order. Values
/// that are not known on either side do not count.
bool disagree(const Operation& operation, CollectiveKind kind, const trace::CollectiveCallRow& call,
              const Part& part)
{
    if (operation.kind != kind || operation.calls != part.calls) {
        return true;
    }
    if (!operation.count || !call.count) {
        return operation.bytes && part.bytes && *operation.bytes != *part.bytes;
    }
    const bool typed = operation.datatype && call.datatype;
    return *operation.count != *call.count || (typed && *operation.datatype != *call.datatype);
}

std::string amountText(std::optional<std::uint64_t> count, std::optional<std::int64_t> datatype,
                       std::optional<std::uint64_t> bytes)
{
    return count && datatype ? fmt::format("{} elements of type {}", *count, *datatype)
           : bytes           ? fmt::format("{} bytes", *bytes)
                             : "a size that is not known";
}

/// Returns what ran on one communicator, by sequence number. Point-to-point calls are left out unless they
/// form an all-to-all. If there are any, sequence numbers differ between ranks, and the place among the
/// collectives is used instead.
std::vector<Part> partsOf(const trace::ProcessTrace& process, std::vector<Run> runs,
                          const std::set<std::int64_t>& exchanges)
{
    const auto& rows = process.collectiveCalls;
    std::sort(runs.begin(), runs.end(), [&](const Run& a, const Run& b) { return a.sequence < b.sequence; });
    const auto isExchange = [&](const Run& run) { return exchanges.contains(rows[run.call].groupId); };
    const auto pointToPoint = std::remove_if(runs.begin(), runs.end(), [&](const Run& run) {
        return isPointToPoint(collectiveKind(process.text(rows[run.call].api))) && !isExchange(run);
    });
    const bool useSequence =
        pointToPoint == runs.end() && std::none_of(runs.begin(), pointToPoint, isExchange);
    runs.erase(pointToPoint, runs.end());
    std::vector<Part> parts;
    std::int64_t place = 0;
    for (const Run& run : runs) {
        const trace::CollectiveCallRow& call = rows[run.call];
        const bool fused = !parts.empty() && call.groupId != 0 && parts.back().launch == run.launch &&
                           rows[parts.back().firstCall].groupId == call.groupId;
        if (!fused) {
            parts.push_back({run.call, run.launch, run.startNs, useSequence ? run.sequence : place, 0, 0,
                             isExchange(run), !useSequence});
        }
        place += isExchange(run) && fused ? 0 : 1;
        if (isExchange(run)) { // sizes may differ between ranks
            parts.back().bytes.reset();
            parts.back().calls = 1;
            continue;
        }
        const auto bytes = call.bytes;
        parts.back().bytes =
            bytes && parts.back().bytes ? std::optional(*parts.back().bytes + *bytes) : std::nullopt;
        ++parts.back().calls;
    }
    return parts;
}

void Matcher::addRank(std::size_t index, const CommunicationWork& communication)
{
    const Rank& rank = m_ranks[index];
    const trace::ProcessTrace& process = m_run.processes[rank.process];
    const Times times{workTimesOf(rank, process, communication), lengthsOf(process.eventTimes)};
    auto runs = runsOf(process);
    const std::set<std::int64_t> exchanges = exchangesOf(process);
    m_untyped += std::count_if(process.collectiveCalls.begin(), process.collectiveCalls.end(),
                               [&](const trace::CollectiveCallRow& call) {
                                   return !call.datatype && m_stretch.holds(rank.process, call.startNs);
                               });
    for (const auto& [key, row] : communicatorsOf(rank, process)) {
        ++m_members[key];
        for (const Part& part : partsOf(process, std::move(runs[row->id]), exchanges)) {
            addPart(key, *row, index, part, times);
        }
    }
}

void Matcher::addPart(const CommunicatorKey& key, const trace::CommunicatorRow& row, std::size_t rank,
                      const Part& part, const Times& times)
{
    const trace::ProcessTrace& process = m_run.processes[m_ranks[rank].process];
    const trace::CollectiveCallRow& call = process.collectiveCalls[part.firstCall];
    const CollectiveKind kind =
        part.exchange ? CollectiveKind::AllToAll : collectiveKind(process.text(call.api));
    const auto [entry, fresh] = m_operations.try_emplace({key.first, key.second, part.order});
    Operation& operation = entry->second;
    if (fresh) {
        operation = {key.first,  part.order,    kind,          part.exchange ? std::nullopt : call.count,
                     part.bytes, call.datatype, row.size,      isKnown(row),
                     part.calls, false,         part.calledNs, {}};
    } else if (disagree(operation, kind, call, part)) {
        const bool knownPlace = operation.groupKnown && !(part.byPlace && m_stretch.isCutBefore());
        m_unmatched += !knownPlace && isOwn(operation) ? 1 : 0;
        if (knownPlace && isOwn(operation)) {
            noteMismatch(operation, rank, call);
        }
        operation.mismatched = true;
    }
    // If a rank has two calls at one place in the order, neither can be trusted.
    if (operation.participant(rank) != nullptr) {
        operation.mismatched = true;
        return;
    }
    Participant participant{rank, part.firstCall, std::nullopt, std::nullopt, part.launch};
    participant.device = timeOf(times.work, call, part.launch);
    if (const auto length = times.lengths.find(workOf(call, part.launch).call);
        length != times.lengths.end()) {
        participant.lengthNs = length->second;
    }
    operation.participants.push_back(participant);
}

void Matcher::noteMismatch(const Operation& operation, std::size_t rank, const trace::CollectiveCallRow& call)
{
    if (m_mismatches++ > 0) {
        return;
    }
    const trace::ProcessTrace& process = m_run.processes[m_ranks[rank].process];
    m_firstMismatch = fmt::format(
        "ranks disagree on collective {} of communicator {:016x}: rank {} calls {} "
        "with {}, rank {} calls {} with {}",
        operation.order, operation.communicator, m_ranks[operation.participants.front().rank].rank,
        collectiveName(operation.kind), amountText(operation.count, operation.datatype, operation.bytes),
        m_ranks[rank].rank, process.text(call.api), amountText(call.count, call.datatype, call.bytes));
}

MatchResult Matcher::finish()
{
    MatchResult result;
    std::int64_t incomplete = 0;
    for (auto& [key, operation] : m_operations) {
        if (operation.size <= 0 && m_complete) { // the size was not recorded, but all members use it
            operation.size = m_members[{std::get<0>(key), std::get<1>(key)}];
        }
        incomplete += !operation.complete() && isOwn(operation) ? 1 : 0;
        result.operations.push_back(std::move(operation));
    }
    if (m_mismatches > 0) {
        result.issues.push_back({trace::Issue::CollectiveMismatch, m_mismatches, m_firstMismatch});
    }
    if (m_unmatched > 0) {
        result.issues.push_back(
            {trace::Issue::CollectivesUnmatched, m_unmatched,
             "collectives whose group is not known do not go together by their order, so "
             "that their ranks may belong to several groups; who came last at them is not "
             "known"});
    }
    if (m_untyped > 0) {
        result.issues.push_back({trace::Issue::DatatypeUnknown, m_untyped,
                                 "collective calls that came through no wrapper: their source (NCCL "
                                 "itself, or another tool's trace) did not say their data type"});
    }
    if (incomplete > 0) {
        result.issues.push_back({trace::Issue::CollectiveIncomplete, incomplete,
                                 "collectives that not every member of the communicator recorded; they count "
                                 "as communication, but who "
                                 "came last is not known"});
    }
    return result;
}

bool clocksComparable(const Operation& operation, const std::vector<Rank>& ranks)
{
    const std::size_t host = ranks[operation.participants.front().rank].host;
    return std::all_of(operation.participants.begin(), operation.participants.end(),
                       [&](const Participant& part) { return ranks[part.rank].host == host; }) ||
           std::all_of(operation.participants.begin(), operation.participants.end(),
                       [&](const Participant& part) { return ranks[part.rank].clockAligned; });
}

} // namespace

bool isPointToPoint(CollectiveKind kind)
{
    return kind == CollectiveKind::Send || kind == CollectiveKind::Receive || kind == CollectiveKind::Put ||
           kind == CollectiveKind::Signal || kind == CollectiveKind::WaitSignal;
}

bool everyRankDependsOnEveryOther(CollectiveKind kind)
{
    return kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather ||
           kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::AllToAll;
}

bool Operation::measured() const
{
    return complete() && !mismatched && participants.size() >= 2 &&
           std::all_of(participants.begin(), participants.end(),
                       [](const Participant& part) { return part.device.has_value(); });
}

bool isGradient(const Operation& operation, std::int64_t worldSize)
{
    constexpr std::uint64_t kLeastBytes = 4096;
    return operation.size == worldSize && operation.bytes && *operation.bytes >= kLeastBytes &&
           !trace::isInteger(operation.datatype) &&
           (operation.kind == CollectiveKind::AllReduce || operation.kind == CollectiveKind::ReduceScatter);
}

bool isUsedMap(const Operation& operation, std::int64_t worldSize, double leastElements)
{
    constexpr std::uint64_t kMostBytes = 1U << 20U; // for a quarter of a million parameter tensors
    return operation.kind == CollectiveKind::AllReduce && operation.size == worldSize &&
           trace::isInteger(operation.datatype) && operation.bytes && *operation.bytes <= kMostBytes &&
           static_cast<double>(operation.count.value_or(0)) >= leastElements;
}

const Participant* Operation::participant(std::size_t rank) const
{
    if (rank < participants.size() && participants[rank].rank == rank) { // all ranks of the job take part
        return &participants[rank];
    }
    const auto found = std::lower_bound(participants.begin(), participants.end(), rank,
                                        [](const Participant& part, std::size_t r) { return part.rank < r; });
    return found != participants.end() && found->rank == rank ? &*found : nullptr;
}

std::optional<Arrivals> arrivals(const Operation& operation, const std::vector<Rank>& ranks)
{
    if (!operation.measured() || !clocksComparable(operation, ranks)) {
        return std::nullopt;
    }
    std::optional<Arrivals> result;
    for (const Participant& part : operation.participants) {
        const ClockMap& clock = ranks[part.rank].clock;
        const std::int64_t arrival = clock.toRun(part.device->start);
        const std::int64_t end = clock.toRun(part.device->end);
        if (!result) {
            result = {part.rank, arrival, arrival, end};
        }
        if (arrival >= result->lastArrivalNs) { // of ranks that came at once, the one with the highest number
            result->lastArrivalNs = arrival;
            result->lastRank = part.rank;
        }
        result->firstArrivalNs = std::min(result->firstArrivalNs, arrival);
        result->endNs = std::max(result->endNs, end);
    }
    return result;
}

MatchResult matchCollectives(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                             const std::vector<CommunicationWork>& communication, std::int64_t worldSize,
                             const StretchTimes& stretch)
{
    Matcher matcher(trace, ranks, worldSize, stretch);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        matcher.addRank(i, communication[ranks[i].process]);
    }
    return matcher.finish();
}

} // namespace ringside::model
