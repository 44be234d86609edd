// SPDX-License-Identifier: Apache-2.0
// Finds dependencies of operations. Event handles are not recorded: a wait is assigned to the last event that
// was recorded on another stream before it and whose work was over when the waiting work began. If no wait
// could be resolved, an operation that always began late and just after the end of another one is taken to
// wait for that one.
#include "trace/vocabulary/api_name.h"
#include "trace/vocabulary/host_words.h"
#include "values/quantile.h"
#include "whatif/program.h"

#include <map>

namespace ringside::whatif {
namespace {

constexpr std::int64_t kClockNs = 20'000; ///< possible error between device times

/// An operation of a step.
struct Place {
    std::size_t step = 0;
    std::size_t op = 0;
};

enum class CallKind : std::uint8_t { Record, Wait, Block, Other };
struct Call {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint32_t stream = 0;
    std::uint32_t tid = 0;
    CallKind kind = CallKind::Other;
    bool wholeDevice = false; ///< blocks until all work of the device is done
    bool event = false;       ///< blocks until an event that is not recorded
};

/// What the name of a function says of its calls.
struct CallName {
    CallKind kind = CallKind::Other;
    bool wholeDevice = false, event = false;
};

CallName readName(std::string_view api)
{
    const std::string name = trace::inCudasWords(api);
    const CallKind kind = name.starts_with("cudaEventRecord")       ? CallKind::Record
                          : name.starts_with("cudaStreamWaitEvent") ? CallKind::Wait
                          : trace::isBlockingCall(name)             ? CallKind::Block
                                                                    : CallKind::Other;
    return {kind, name.starts_with("cudaDeviceSynchronize"), name.starts_with("cudaEventSynchronize")};
}

/// Returns host calls of a rank's process in run time, by start.
std::vector<Call> readCalls(const trace::ProcessTrace& process, const model::Rank& rank)
{
    std::unordered_map<std::uint32_t, std::uint32_t> tids;
    for (const trace::ThreadRow& thread : process.threads) {
        tids.emplace(static_cast<std::uint32_t>(thread.id), static_cast<std::uint32_t>(thread.tid));
    }
    std::unordered_map<trace::StringId, CallName> names;
    std::vector<Call> calls;
    const trace::ApiCallColumns& rows = process.apiCalls;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto [name, fresh] = names.try_emplace(rows.api[i]);
        if (fresh) {
            name->second = readName(process.text(rows.api[i]));
        }
        if (name->second.kind == CallKind::Other && rows.stream[i] == 0) {
            continue;
        }
        const auto tid = tids.find(rows.thread[i]);
        calls.push_back({rank.clock.toRun(rows.startNs[i]), rank.clock.toRun(rows.endNs[i]), rows.stream[i],
                         tid == tids.end() ? 0 : tid->second, name->second.kind, name->second.wholeDevice,
                         name->second.event});
    }
    for (const trace::CollectiveCallRow& row : process.collectiveCalls) {
        if (row.stream > 0 && row.groupId == 0 && !row.graph) {
            calls.push_back({rank.clock.toRun(row.startNs), rank.clock.toRun(row.endNs),
                             static_cast<std::uint32_t>(row.stream), 0, CallKind::Other, false, false});
        }
    }
    std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.start < b.start; });
    return calls;
}

class DependencyFinder final {
public:
    DependencyFinder(const model::Model& model, Program& program, RankProgram& rank)
        : m_program(program)
        , m_rank(rank)
        , m_calls(readCalls(model.processOf(model.ranks[rank.rank]), model.ranks[rank.rank]))
    {}
    void find();

private:
    using Votes = std::map<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>, std::size_t>;

    void indexPlaces();
    void mapStreams();
    void resolveWait(std::size_t call);
    void resolveBlock(const Call& call);
    void addBlockTargets(const Call& call, const Place& target);
    void accept(const Votes& votes, std::vector<Wait> Op::*list);
    void inferFromTimes();
    void inferFor(std::size_t op);
    [[nodiscard]] std::vector<std::int64_t> startsAfter(std::size_t op, const Wait& wait) const;
    [[nodiscard]] std::int64_t lateBy(std::size_t step, std::size_t op) const;

    [[nodiscard]] const Observed& at(const Place& place) const { return m_rank.steps[place.step][place.op]; }
    [[nodiscard]] std::optional<Place> lastBefore(std::uint32_t lane, std::int64_t time) const;
    [[nodiscard]] std::optional<Place> firstAfter(std::uint32_t lane, std::int64_t time) const;
    [[nodiscard]] std::optional<std::uint32_t> laneOf(std::uint32_t stream) const;
    /// Counts a wait if both operations are in the same step or in neighbouring steps.
    bool vote(Votes& votes, const Place& target, const Place& source) const;

    Program& m_program;
    RankProgram& m_rank;
    std::vector<Call> m_calls;
    std::vector<std::vector<Place>> m_lanes; ///< in the order of launches
    std::vector<Place> m_all;
    std::map<std::uint32_t, std::uint32_t> m_laneOfStream;
    Votes m_waits;
    Votes m_blocks;
    std::vector<Wait> m_previousOnLane;
};

void DependencyFinder::indexPlaces()
{
    m_lanes.resize(m_rank.lanes);
    m_previousOnLane = previousOnLane(m_rank);
    for (std::size_t step = 0; step < m_rank.steps.size(); ++step) {
        for (std::size_t op = 0; op < m_rank.ops.size(); ++op) {
            m_lanes[m_rank.ops[op].lane].push_back({step, op});
            m_all.push_back({step, op});
        }
    }
}

/// Finds the lane of each recorded stream by launches inside of calls that name their stream.
void DependencyFinder::mapStreams()
{
    std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> votes;
    for (const Call& call : m_calls) {
        if (call.kind != CallKind::Other) {
            continue;
        }
        const auto found =
            std::lower_bound(m_all.begin(), m_all.end(), call.start,
                             [&](const Place& p, std::int64_t t) { return at(p).launchStart < t; });
        if (found == m_all.end() || at(*found).launchStart > call.end) {
            continue;
        }
        const Op& op = m_rank.ops[found->op];
        if (call.tid == 0 ? op.communication : op.tid == call.tid) {
            ++votes[call.stream][op.lane];
        }
    }
    for (const auto& [stream, lanes] : votes) {
        m_laneOfStream[stream] =
            std::max_element(lanes.begin(), lanes.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
            })->first;
    }
}

std::optional<std::uint32_t> DependencyFinder::laneOf(std::uint32_t stream) const
{
    const auto found = m_laneOfStream.find(stream);
    return found == m_laneOfStream.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Place> DependencyFinder::lastBefore(std::uint32_t lane, std::int64_t time) const
{
    const auto& places = m_lanes[lane];
    const auto found =
        std::lower_bound(places.begin(), places.end(), time,
                         [&](const Place& p, std::int64_t t) { return at(p).launchStart < t; });
    return found == places.begin() ? std::nullopt : std::optional(*(found - 1));
}

std::optional<Place> DependencyFinder::firstAfter(std::uint32_t lane, std::int64_t time) const
{
    const auto& places = m_lanes[lane];
    const auto found =
        std::lower_bound(places.begin(), places.end(), time,
                         [&](const Place& p, std::int64_t t) { return at(p).launchStart < t; });
    return found == places.end() ? std::nullopt : std::optional(*found);
}

bool DependencyFinder::vote(Votes& votes, const Place& target, const Place& source) const
{
    const std::size_t back = target.step - source.step;
    if (source.step > target.step || back > 1 || (back == 1 && !m_program.follows(target.step)) ||
        (back == 0 && source.op >= target.op)) {
        return false;
    }
    ++votes[{target.op, {source.op, back}}];
    return true;
}

void DependencyFinder::resolveWait(std::size_t index)
{
    constexpr int kMostRecords = 16;
    const Call& wait = m_calls[index];
    const auto lane = laneOf(wait.stream);
    const auto target = lane ? firstAfter(*lane, wait.start) : std::nullopt;
    if (!target) {
        m_program.unresolvedWaits += lane ? 0U : 1U;
        return;
    }
    int tried = 0;
    for (std::size_t i = index; i-- > 0 && tried < kMostRecords;) {
        const Call& record = m_calls[i];
        const auto from = record.kind == CallKind::Record ? laneOf(record.stream) : std::nullopt;
        if (!from || *from == *lane) {
            continue;
        }
        ++tried;
        const auto source = lastBefore(*from, record.start);
        if (source && at(*source).end <= at(*target).start + kClockNs) {
            vote(m_waits, *target, *source);
            return;
        }
    }
}

void DependencyFinder::addBlockTargets(const Call& call, const Place& target)
{
    const auto only = call.wholeDevice ? std::nullopt : laneOf(call.stream);
    if (!call.wholeDevice && (call.event || !only)) {
        // The event is not recorded: the call is taken to wait for the work that ended last before it
        // returned.
        std::optional<Place> best;
        for (std::uint32_t lane = 0; lane < m_rank.lanes; ++lane) {
            const auto source = lastBefore(lane, call.start);
            if (source && at(*source).end <= call.end + kClockNs &&
                (!best || at(*source).end > at(*best).end)) {
                best = source;
            }
        }
        if (best) {
            vote(m_blocks, target, *best);
        }
        return;
    }
    for (std::uint32_t lane = 0; lane < m_rank.lanes; ++lane) {
        if (call.wholeDevice || (only && *only == lane)) {
            if (const auto source = lastBefore(lane, call.start)) {
                vote(m_blocks, target, *source);
            }
        }
    }
}

/// A blocking call delays the next launch of its thread.
void DependencyFinder::resolveBlock(const Call& call)
{
    const auto next = std::lower_bound(m_all.begin(), m_all.end(), call.start,
                                       [&](const Place& p, std::int64_t t) { return at(p).launchStart < t; });
    if (next == m_all.end() || at(*next).launchStart < call.end || m_rank.ops[next->op].tid != call.tid) {
        return; // it launches work itself, or other threads launch meanwhile
    }
    m_rank.steps[next->step][next->op].blocks.push_back({call.start, call.end});
    addBlockTargets(call, *next);
}

void DependencyFinder::accept(const Votes& votes, std::vector<Wait> Op::*list)
{
    for (const auto& [wait, count] : votes) {
        const std::size_t possible = m_rank.steps.size() - wait.second.second;
        if (count * 2 >= std::max<std::size_t>(1, possible)) {
            (m_rank.ops[wait.first].*list)
                .push_back({static_cast<std::uint32_t>(wait.second.first),
                            static_cast<std::uint32_t>(wait.second.second)});
        }
    }
}

/// Returns how long an operation waited after its launch and after the work before it on its stream.
std::int64_t DependencyFinder::lateBy(std::size_t step, std::size_t op) const
{
    const Observed& seen = m_rank.steps[step][op];
    const Wait& previous = m_previousOnLane[op];
    std::int64_t ready = seen.launchStart;
    if (previous.stepsBack == 0 || m_program.follows(step)) {
        ready = std::max(ready, m_rank.steps[step - previous.stepsBack][previous.op].end);
    }
    return seen.start - ready;
}

/// Returns for each step how long after the end of `wait` an operation began; empty if it did not always
/// begin after it.
std::vector<std::int64_t> DependencyFinder::startsAfter(std::size_t op, const Wait& wait) const
{
    std::vector<std::int64_t> after;
    for (std::size_t step = 0; step < m_rank.steps.size(); ++step) {
        if (wait.stepsBack == 0 || m_program.follows(step)) {
            after.push_back(m_rank.steps[step][op].start - m_rank.steps[step - wait.stepsBack][wait.op].end);
        }
    }
    return !after.empty() && values::quantile(after, 0.05) >= -kClockNs ? after : std::vector<std::int64_t>();
}

void DependencyFinder::inferFor(std::size_t op)
{
    constexpr std::size_t kMostBack = 256;
    std::vector<std::int64_t> late;
    for (std::size_t step = 0; step < m_rank.steps.size(); ++step) {
        late.push_back(lateBy(step, op));
    }
    std::optional<Wait> best;
    std::int64_t bestNs = model::median(late) / 4;
    if (bestNs <= kClockNs / 4) {
        return;
    }
    const std::size_t count = m_rank.ops.size();
    for (std::size_t back = 1; back <= std::min(kMostBack, op + count); ++back) {
        const bool same = back <= op;
        const Wait wait{static_cast<std::uint32_t>((op + count - back) % count), same ? 0U : 1U};
        if (m_rank.ops[wait.op].lane == m_rank.ops[op].lane) {
            continue;
        }
        const std::vector<std::int64_t> after = startsAfter(op, wait);
        if (!after.empty() && model::median(after) < bestNs) {
            bestNs = model::median(after);
            best = wait;
        }
    }
    if (best) {
        m_rank.ops[op].after.push_back(*best);
    }
}

void DependencyFinder::inferFromTimes()
{
    for (std::size_t op = 0; op < m_rank.ops.size(); ++op) {
        inferFor(op);
    }
}

void DependencyFinder::find()
{
    indexPlaces();
    mapStreams();
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
        if (m_calls[i].kind == CallKind::Wait) {
            resolveWait(i);
        } else if (m_calls[i].kind == CallKind::Block) {
            resolveBlock(m_calls[i]);
        }
    }
    accept(m_waits, &Op::after);
    accept(m_blocks, &Op::hostAfter);
    for (std::size_t op = 0; op < m_rank.ops.size(); ++op) {
        const auto blocked = std::count_if(m_rank.steps.begin(), m_rank.steps.end(),
                                           [&](const auto& step) { return !step[op].blocks.empty(); });
        m_rank.ops[op].blockedBefore = static_cast<std::size_t>(blocked) * 2 >= m_rank.steps.size();
    }
    if (m_waits.empty() && m_rank.lanes > 1) {
        m_program.inferredWaits = true;
        inferFromTimes();
    }
}

} // namespace

std::vector<Wait> previousOnLane(const RankProgram& rank)
{
    std::vector<std::optional<Wait>> last(rank.lanes);
    for (std::size_t op = 0; op < rank.ops.size(); ++op) {
        last[rank.ops[op].lane] = Wait{static_cast<std::uint32_t>(op), 1};
    }
    std::vector<Wait> previous;
    for (std::size_t op = 0; op < rank.ops.size(); ++op) {
        previous.push_back(*last[rank.ops[op].lane]);
        last[rank.ops[op].lane] = Wait{static_cast<std::uint32_t>(op), 0};
    }
    return previous;
}

void findDependencies(const model::Model& model, Program& program, RankProgram& rank)
{
    DependencyFinder(model, program, rank).find();
}

} // namespace ringside::whatif
