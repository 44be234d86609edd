// SPDX-License-Identifier: Apache-2.0
#include "model/collective_match.h"

#include "model/kernel_class.h"
#include "model/model.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

namespace ringside::model {
namespace {

struct KindName {
    CollectiveKind kind;
    std::string_view name;
};
constexpr std::array kKindNames = {KindName{CollectiveKind::AllReduce, "AllReduce"},
                                   KindName{CollectiveKind::AllGather, "AllGather"},
                                   KindName{CollectiveKind::ReduceScatter, "ReduceScatter"},
                                   KindName{CollectiveKind::AllToAll, "AlltoAll"},
                                   KindName{CollectiveKind::Broadcast, "Broadcast"},
                                   KindName{CollectiveKind::Broadcast, "Bcast"},
                                   KindName{CollectiveKind::Reduce, "Reduce"},
                                   KindName{CollectiveKind::Gather, "Gather"},
                                   KindName{CollectiveKind::Scatter, "Scatter"},
                                   KindName{CollectiveKind::Send, "Send"},
                                   KindName{CollectiveKind::Receive, "Recv"},
                                   KindName{CollectiveKind::Put, "PutSignal"},
                                   KindName{CollectiveKind::Signal, "Signal"},
                                   KindName{CollectiveKind::WaitSignal, "WaitSignal"},
                                   KindName{CollectiveKind::Other, "Other"}};

using Spans = std::unordered_map<std::uint64_t, Interval>; ///< device time by call or group id

void grow(Spans& spans, std::uint64_t id, Interval time)
{
    const auto [entry, fresh] = spans.try_emplace(id, time);
    if (!fresh) {
        entry->second.start = std::min(entry->second.start, time.start);
        entry->second.end = std::max(entry->second.end, time.end);
    }
}

/// Device time of every NCCL call or group of a process: its communication kernels, joined by correlation id.
Spans deviceSpans(const trace::ProcessTrace& process, const KernelClasses& classes,
                  std::optional<std::uint32_t> device)
{
    std::unordered_map<std::uint32_t, std::uint64_t> callOf;
    callOf.reserve(process.callCorrelations.size());
    for (std::size_t i = 0; i < process.callCorrelations.size(); ++i) {
        callOf.emplace(process.callCorrelations.correlation[i], process.callCorrelations.call[i]);
    }
    Spans spans;
    const auto& kernels = process.kernels;
    for (std::size_t i = 0; i < kernels.size() && !callOf.empty(); ++i) {
        if (classes.of(kernels.name[i]) != KernelClass::Communication ||
            (device && kernels.device[i] != *device)) {
            continue;
        }
        if (const auto call = callOf.find(kernels.correlation[i]); call != callOf.end()) {
            grow(spans, call->second, {kernels.startNs[i], kernels.endNs[i]});
        }
    }
    return spans;
}

/// A communicator as all its members know it: the hash, and which use of it when a process made it again.
/// Without a hash (0) only as this process knows it: then nobody else's calls are matched with its own.
using CommunicatorKey = std::pair<std::uint64_t, std::size_t>;
using OperationKey = std::tuple<std::uint64_t, std::size_t, std::int64_t>;

/// One rank's calls on one communicator, in its order, fused where a group fused them.
struct Part {
    std::size_t firstCall = 0;
    std::int64_t order = 0;
    std::uint64_t bytes = 0;
    std::uint32_t calls = 0;
};

class Matcher final {
public:
    Matcher(const trace::RunTrace& run, const std::vector<Rank>& ranks) : m_run(run), m_ranks(ranks) {}
    void addRank(std::size_t index, const KernelClasses& classes);
    MatchResult finish();

private:
    void addPart(const CommunicatorKey& key, const trace::CommunicatorRow& row, std::size_t rank,
                 const Part& part, const Spans& spans);
    void noteMismatch(const Operation& operation, std::size_t rank, const trace::CollectiveCallRow& call);

    const trace::RunTrace& m_run;
    const std::vector<Rank>& m_ranks;
    std::map<OperationKey, Operation> m_operations;
    std::int64_t m_mismatches = 0;
    std::string m_firstMismatch;
};

bool isPointToPoint(CollectiveKind kind)
{
    return kind == CollectiveKind::Send || kind == CollectiveKind::Receive || kind == CollectiveKind::Put ||
           kind == CollectiveKind::Signal || kind == CollectiveKind::WaitSignal;
}

/// The calls on one communicator by sequence, without point-to-point and one-sided ones. Where there are
/// such, sequence numbers differ between ranks and the place among the collectives stands in for them.
std::vector<Part> partsOf(const trace::ProcessTrace& process, std::vector<std::size_t> calls)
{
    const auto& rows = process.collectiveCalls;
    std::sort(calls.begin(), calls.end(),
              [&](std::size_t a, std::size_t b) { return rows[a].sequence < rows[b].sequence; });
    const auto pointToPoint = std::remove_if(calls.begin(), calls.end(), [&](std::size_t call) {
        return isPointToPoint(collectiveKind(process.text(rows[call].api)));
    });
    const bool useSequence = pointToPoint == calls.end();
    calls.erase(pointToPoint, calls.end());
    std::vector<Part> parts;
    std::int64_t place = 0;
    for (const std::size_t call : calls) {
        const std::int64_t order = useSequence ? rows[call].sequence : place;
        ++place;
        const bool fused = !parts.empty() && rows[call].groupId != 0 &&
                           rows[parts.back().firstCall].groupId == rows[call].groupId;
        if (!fused) {
            parts.push_back({call, order, 0, 0});
        }
        parts.back().bytes += rows[call].bytes;
        ++parts.back().calls;
    }
    return parts;
}

void Matcher::addRank(std::size_t index, const KernelClasses& classes)
{
    const Rank& rank = m_ranks[index];
    const trace::ProcessTrace& process = m_run.processes[rank.process];
    const Spans spans = deviceSpans(process, classes, rank.device);
    std::unordered_map<std::int64_t, std::vector<std::size_t>> calls;
    for (std::size_t i = 0; i < process.collectiveCalls.size(); ++i) {
        calls[process.collectiveCalls[i].communicator].push_back(i);
    }
    std::vector<trace::CommunicatorRow> rows = process.communicators;
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::tie(a.createdNs, a.id) < std::tie(b.createdNs, b.id);
    });
    std::unordered_map<std::uint64_t, std::size_t> uses;
    for (const trace::CommunicatorRow& row : rows) {
        if (!rank.owns(static_cast<std::uint32_t>(row.device))) {
            continue;
        }
        const CommunicatorKey key(row.hash, row.hash != 0
                                                ? uses[row.hash]++
                                                : rank.process << 32 | static_cast<std::size_t>(row.id));
        for (const Part& part : partsOf(process, std::move(calls[row.id]))) {
            addPart(key, row, index, part, spans);
        }
    }
}

void Matcher::addPart(const CommunicatorKey& key, const trace::CommunicatorRow& row, std::size_t rank,
                      const Part& part, const Spans& spans)
{
    const trace::ProcessTrace& process = m_run.processes[m_ranks[rank].process];
    const trace::CollectiveCallRow& call = process.collectiveCalls[part.firstCall];
    const CollectiveKind kind = collectiveKind(process.text(call.api));
    const auto [entry, fresh] = m_operations.try_emplace({key.first, key.second, part.order});
    Operation& operation = entry->second;
    if (fresh) {
        operation = {row.hash,      part.order, kind,       call.count, part.bytes,
                     call.datatype, row.size,   part.calls, false,      {}};
    } else if (operation.kind != kind || operation.count != call.count ||
               operation.datatype != call.datatype || operation.calls != part.calls) {
        noteMismatch(operation, rank, call);
        operation.mismatched = true;
    }
    if (operation.participant(rank) != nullptr) { // one place in the order, two calls: neither can be trusted
        operation.mismatched = true;
        return;
    }
    Participant participant{rank, part.firstCall, std::nullopt};
    auto span = spans.find(static_cast<std::uint64_t>(call.groupId != 0 ? call.groupId : call.id));
    if (span == spans.end()) {
        span = spans.find(static_cast<std::uint64_t>(call.id));
    }
    if (span != spans.end()) {
        participant.device = span->second;
    }
    operation.participants.push_back(participant);
}

void Matcher::noteMismatch(const Operation& operation, std::size_t rank, const trace::CollectiveCallRow& call)
{
    if (m_mismatches++ > 0) {
        return;
    }
    const trace::ProcessTrace& process = m_run.processes[m_ranks[rank].process];
    m_firstMismatch = fmt::format("ranks disagree on collective {} of communicator {:016x}: rank {} calls {} "
                                  "with {} elements of type {}, "
                                  "rank {} calls {} with {} elements of type {}",
                                  operation.order, operation.communicator,
                                  m_ranks[operation.participants.front().rank].rank,
                                  collectiveName(operation.kind), operation.count, operation.datatype,
                                  m_ranks[rank].rank, process.text(call.api), call.count, call.datatype);
}

MatchResult Matcher::finish()
{
    MatchResult result;
    std::int64_t incomplete = 0;
    for (auto& [key, operation] : m_operations) {
        incomplete += operation.complete() ? 0 : 1;
        result.operations.push_back(std::move(operation));
    }
    if (m_mismatches > 0) {
        result.issues.push_back({"collective_mismatch", "error", m_mismatches, m_firstMismatch});
    }
    if (incomplete > 0) {
        result.issues.push_back({"collective_incomplete", "info", incomplete,
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

CollectiveKind collectiveKind(std::string_view api)
{
    for (const std::string_view prefix : {"pnccl", "nccl"}) {
        if (api.rfind(prefix, 0) == 0) {
            api.remove_prefix(prefix.size());
        }
    }
    if (constexpr std::string_view kConfigured = "Config"; api.ends_with(kConfigured)) { // since NCCL 2.31
        api.remove_suffix(kConfigured.size());
    }
    for (const KindName& entry : kKindNames) {
        if (api == entry.name) {
            return entry.kind;
        }
    }
    return CollectiveKind::Other;
}

std::string_view collectiveName(CollectiveKind kind)
{
    for (const KindName& entry : kKindNames) {
        if (entry.kind == kind) {
            return entry.name;
        }
    }
    return "Other";
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

const Participant* Operation::participant(std::size_t rank) const
{
    const auto found = std::lower_bound(participants.begin(), participants.end(), rank,
                                        [](const Participant& part, std::size_t r) { return part.rank < r; });
    return found != participants.end() && found->rank == rank ? &*found : nullptr;
}

std::optional<Arrivals> arrivals(const Operation& operation, const std::vector<Rank>& ranks)
{
    if (!operation.measured() || !clocksComparable(operation, ranks)) {
        return std::nullopt;
    }
    std::vector<std::pair<std::int64_t, std::size_t>> starts;
    Arrivals result;
    for (const Participant& part : operation.participants) {
        const ClockMap& clock = ranks[part.rank].clock;
        starts.emplace_back(clock.toRun(part.device->start), part.rank);
        const std::int64_t end = clock.toRun(part.device->end);
        result.endNs = starts.size() == 1 ? end : std::max(result.endNs, end);
    }
    std::sort(starts.begin(), starts.end());
    result.firstArrivalNs = starts.front().first;
    result.secondLastArrivalNs = starts[starts.size() - 2].first;
    result.lastArrivalNs = starts.back().first;
    result.lastRank = starts.back().second;
    return result;
}

MatchResult matchCollectives(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                             const std::vector<KernelClasses>& classes)
{
    Matcher matcher(trace, ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        matcher.addRank(i, classes[ranks[i].process]);
    }
    return matcher.finish();
}

} // namespace ringside::model
