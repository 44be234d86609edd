// SPDX-License-Identifier: Apache-2.0
#include "metrics/delay_origins.h"

#include "metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

namespace ringside::metrics {
namespace {

/// The part of one rank's step that lies on the critical path.
struct PathPart {
    std::int64_t computeNs = 0;
    std::int64_t otherNs = 0;    ///< copies, and time without device work
    std::int64_t transferNs = 0; ///< transfer to this rank, after the last arrival
};

/// A kernel, a copy or a run of compute kernels without gaps. Times are in run time.
struct PathNode {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int32_t before = -1; ///< the previous node on its stream; -1 if there is none
    std::int64_t PathPart::*kind = &PathPart::otherNs;
    /// Rank and node that arrived last at its collective or message; -1 if that is this node itself.
    std::int32_t lastRank = -1;
    std::int32_t lastNode = -1;
    std::int64_t lastArrival = 0;
};

using WorkNodes = std::unordered_map<model::WorkKey, std::int32_t, model::WorkKeyHash>;

struct PathRank {
    std::vector<PathNode> nodes; ///< ordered by end
    WorkNodes ofWork;            ///< the node of the first kernel of each work
};

/// Reads the kernels and copies of a rank in a span. Compute kernels without a gap become one node: a step
/// has thousands of them, and no other rank depends on what is between them.
class NodeReader final {
public:
    struct Row {
        PathNode node;
        std::uint64_t stream = 0;
        std::int64_t kernel = -1; ///< row of the kernel; -1 for a copy
    };
    NodeReader(const model::Rank& rank, const Interval& span) : m_rank(rank), m_span(span) {}

    template <typename Columns>
    void add(const Columns& columns, std::size_t i, std::int64_t PathPart::*kind, std::int64_t kernel)
    {
        const Interval local{columns.startNs[i], columns.endNs[i]};
        if (!m_rank.owns(columns.device[i]) || model::overlapLength(local, m_span) == 0) {
            return;
        }
        const Interval time{m_rank.clock.toRun(local.start), m_rank.clock.toRun(local.end)};
        const auto [last, fresh] = m_lastOf.try_emplace(columns.stream[i], m_rows.size());
        if (!fresh && kind == &PathPart::computeNs && followsWithoutGap(m_rows[last->second].node, time)) {
            PathNode& before = m_rows[last->second].node;
            before.end = std::max(before.end, time.end);
            return;
        }
        last->second = m_rows.size();
        m_rows.push_back({{time.start, time.end, -1, kind, -1, -1, 0}, columns.stream[i], kernel});
    }

    /// Sorts the rows by end and returns them.
    [[nodiscard]] const std::vector<Row>& sorted()
    {
        std::ranges::stable_sort(m_rows, {}, [](const Row& row) { return row.node.end; });
        return m_rows;
    }

private:
    [[nodiscard]] static bool followsWithoutGap(const PathNode& before, const Interval& time)
    {
        constexpr std::int64_t kNoGap = 5'000; // ns
        return before.kind == &PathPart::computeNs && time.start >= before.start &&
               time.start - before.end <= kNoGap;
    }

    const model::Rank& m_rank;
    Interval m_span;
    std::vector<Row> m_rows;
    std::unordered_map<std::uint64_t, std::size_t> m_lastOf; ///< index of the last row of each stream
};

class PathWalker final {
public:
    PathWalker(const model::Model& model, const std::vector<RankMetrics>& ranks);
    std::vector<std::vector<PathPart>> walk();

private:
    void addNodes(std::size_t index);
    static void linkNodes(PathRank& rank, const std::vector<NodeReader::Row>& rows,
                          const model::CommunicationWork& communication);
    void linkRanks();
    void linkToLast(const model::MessageEnd& own, const model::MessageEnd& other);
    [[nodiscard]] std::int32_t nodeOf(std::size_t rank, std::size_t call, std::uint64_t launch) const;
    [[nodiscard]] std::int32_t predecessor(const PathRank& rank, std::int32_t node) const;
    [[nodiscard]] std::int32_t lastEndedBefore(const PathRank& rank, std::int64_t time) const;
    [[nodiscard]] PathPart& partAt(std::size_t index, std::int64_t time);

    const model::Model& m_model;
    const std::vector<RankMetrics>& m_metrics;
    std::vector<PathRank> m_ranks;      ///< in the order of m_metrics
    std::vector<std::int32_t> m_placed; ///< by index into Model::ranks: index into m_ranks, or -1
    std::vector<std::vector<PathPart>> m_parts;
};

PathWalker::PathWalker(const model::Model& model, const std::vector<RankMetrics>& ranks)
    : m_model(model), m_metrics(ranks), m_ranks(ranks.size()), m_placed(model.ranks.size(), -1)
{
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        m_placed[ranks[i].rank] = static_cast<std::int32_t>(i);
        m_parts.emplace_back(ranks[i].windows.size());
        addNodes(i);
    }
    linkRanks();
}

void PathWalker::addNodes(std::size_t index)
{
    const model::Rank& rank = m_model.ranks[m_metrics[index].rank];
    const trace::ProcessTrace& process = m_model.processOf(rank);
    const model::KernelClasses& classes = m_model.classes[rank.process];
    NodeReader reader(rank, {m_metrics[index].windows.front().start, m_metrics[index].windows.back().end});
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        const bool compute = classes.of(process.kernels.name[i]) == model::KernelClass::Compute;
        reader.add(process.kernels, i, compute ? &PathPart::computeNs : &PathPart::transferNs,
                   static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < process.copies.size(); ++i) {
        reader.add(process.copies, i, &PathPart::otherNs, -1);
    }
    linkNodes(m_ranks[index], reader.sorted(), m_model.communication[rank.process]);
}

void PathWalker::linkNodes(PathRank& rank, const std::vector<NodeReader::Row>& rows,
                           const model::CommunicationWork& communication)
{
    std::unordered_map<std::int64_t, std::int32_t> ofKernel;
    std::unordered_map<std::uint64_t, std::int32_t> last; // by stream
    for (const NodeReader::Row& row : rows) {
        const auto node = static_cast<std::int32_t>(rank.nodes.size());
        const auto before = last.try_emplace(row.stream, -1).first;
        rank.nodes.push_back(row.node);
        rank.nodes.back().before = before->second;
        before->second = node;
        if (row.node.kind == &PathPart::transferNs) {
            ofKernel.emplace(row.kernel, node);
        }
    }
    for (const model::CommunicationKernel& kernel : communication.kernels) {
        if (const auto found = ofKernel.find(kernel.row); found != ofKernel.end()) {
            rank.ofWork.try_emplace(kernel.work, found->second);
        }
    }
}

std::int32_t PathWalker::nodeOf(std::size_t rank, std::size_t call, std::uint64_t launch) const
{
    if (m_placed[rank] < 0) {
        return -1;
    }
    const auto& calls = m_model.processOf(m_model.ranks[rank]).collectiveCalls;
    const WorkNodes& nodes = m_ranks[static_cast<std::size_t>(m_placed[rank])].ofWork;
    auto found = nodes.find(model::workOf(calls[call], launch));
    if (found == nodes.end()) {
        found = nodes.find({static_cast<std::uint64_t>(calls[call].id), 0, 0});
    }
    return found == nodes.end() ? -1 : found->second;
}

void PathWalker::linkToLast(const model::MessageEnd& own, const model::MessageEnd& other)
{
    const std::int32_t node = nodeOf(own.rank, own.call, own.launch);
    const std::int32_t last = nodeOf(other.rank, other.call, other.launch);
    if (node < 0 || last < 0 || own.rank == other.rank || !m_model.clocksComparable(own.rank, other.rank)) {
        return;
    }
    PathNode& waits =
        m_ranks[static_cast<std::size_t>(m_placed[own.rank])].nodes[static_cast<std::size_t>(node)];
    const std::int64_t arrival =
        m_ranks[static_cast<std::size_t>(m_placed[other.rank])].nodes[static_cast<std::size_t>(last)].start;
    if (arrival > waits.start && arrival < waits.end && (waits.lastNode < 0 || arrival > waits.lastArrival)) {
        waits.lastRank = m_placed[other.rank];
        waits.lastNode = last;
        waits.lastArrival = arrival;
    }
}

void PathWalker::linkRanks()
{
    for (const model::Operation& operation : m_model.operations) {
        const auto arrivals = model::arrivals(operation, m_model.ranks);
        if (!arrivals) {
            continue;
        }
        const model::Participant& last = *operation.participant(arrivals->lastRank);
        for (const model::Participant& part : operation.participants) {
            linkToLast({part.rank, part.call, part.launch}, {last.rank, last.call, last.launch});
        }
    }
    for (const model::Message& message : m_model.messages) {
        linkToLast(message.sender, message.receiver);
        linkToLast(message.receiver, message.sender);
    }
}

std::int32_t PathWalker::lastEndedBefore(const PathRank& rank, std::int64_t time) const
{
    const auto after = std::ranges::upper_bound(rank.nodes, time, {}, &PathNode::end);
    return static_cast<std::int32_t>(after - rank.nodes.begin()) - 1;
}

/// Returns the node that delayed `node`, or -1. If the stream was busy until `node` began, it is the previous
/// node of the stream. If the stream was empty, it is the node of the rank that ended last before.
std::int32_t PathWalker::predecessor(const PathRank& rank, std::int32_t node) const
{
    constexpr std::int64_t kDirectlyBehind = 20'000; // ns
    const PathNode& own = rank.nodes[static_cast<std::size_t>(node)];
    if (own.before >= 0) {
        const std::int64_t gap = own.start - rank.nodes[static_cast<std::size_t>(own.before)].end;
        if (gap < kDirectlyBehind) {
            const std::int32_t last = lastEndedBefore(rank, own.start);
            const bool nearer = last >= 0 && rank.nodes[static_cast<std::size_t>(last)].lastNode >= 0 &&
                                gap > 0 &&
                                rank.nodes[static_cast<std::size_t>(last)].end >
                                    rank.nodes[static_cast<std::size_t>(own.before)].end;
            return nearer ? last : own.before;
        }
    }
    return lastEndedBefore(rank, own.start);
}

PathPart& PathWalker::partAt(std::size_t index, std::int64_t time)
{
    const RankMetrics& metrics = m_metrics[index];
    const model::ClockMap& clock = m_model.ranks[metrics.rank].clock;
    const auto after = std::ranges::upper_bound(
        metrics.windows, time, {}, [&](const Interval& window) { return clock.toRun(window.start); });
    const auto step = std::max<std::ptrdiff_t>(1, after - metrics.windows.begin()) - 1;
    return m_parts[index][static_cast<std::size_t>(step)];
}

std::vector<std::vector<PathPart>> PathWalker::walk()
{
    std::size_t rank = 0;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::size_t most = 0;
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
        if (m_ranks[i].nodes.empty()) {
            return m_parts;
        }
        rank = m_ranks[i].nodes.back().end > m_ranks[rank].nodes.back().end ? i : rank;
        begin =
            std::min(begin, m_model.ranks[m_metrics[i].rank].clock.toRun(m_metrics[i].windows.front().start));
        most += m_ranks[i].nodes.size();
    }
    auto node = static_cast<std::int32_t>(m_ranks[rank].nodes.size()) - 1;
    std::int64_t time = m_ranks[rank].nodes.back().end;
    for (; most > 0 && node >= 0 && time > begin; --most) {
        const PathNode& now = m_ranks[rank].nodes[static_cast<std::size_t>(node)];
        partAt(rank, now.start).otherNs += std::max<std::int64_t>(0, time - now.end);
        time = std::min(time, now.end);
        const std::int64_t from = std::min(time, now.lastNode >= 0 ? now.lastArrival : now.start);
        partAt(rank, from).*now.kind += time - from;
        time = from;
        if (now.lastNode >= 0) {
            node = now.lastNode;
            rank = static_cast<std::size_t>(now.lastRank);
        }
        const PathRank& on = m_ranks[rank];
        time = std::min(time, on.nodes[static_cast<std::size_t>(node)].start);
        node = predecessor(on, node);
    }
    return m_parts;
}

/// Returns the parts on the critical path by RunMetrics::ranks and analyzed step. Empty if no rank has device
/// work. A collective whose ranks were not all recorded delays no rank.
std::vector<std::vector<PathPart>> criticalPath(const model::Model& model,
                                                const std::vector<RankMetrics>& ranks)
{
    return ranks.empty() ? std::vector<std::vector<PathPart>>() : PathWalker(model, ranks).walk();
}

/// Indices into RunMetrics::ranks.
using PeerPlaces = std::vector<std::size_t>;

PeerPlaces peersOf(const model::Model& model, const RunMetrics& run, std::size_t place)
{
    PeerPlaces peers;
    for (std::size_t other = 0; other < run.ranks.size(); ++other) {
        if (model.layout.arePeers(run.ranks[place].rank, run.ranks[other].rank)) {
            peers.push_back(other);
        }
    }
    return peers;
}

std::int64_t otherTime(const Breakdown& step)
{
    return model::addCapped(step.exposedCopyNs, step.idleNs);
}

/// Returns the part of the rank's time on the path that it would not have spent at its peers' pace, ns.
template <typename Figure>
std::int64_t beyondPeers(const RunMetrics& run, std::size_t place, const PeerPlaces& peers, std::size_t step,
                         std::int64_t onPathNs, const Figure& figure)
{
    std::vector<std::int64_t> times;
    for (const std::size_t peer : peers) {
        if (step < run.ranks[peer].steps.size()) {
            times.push_back(figure(run.ranks[peer].steps[step]));
        }
    }
    const std::int64_t own = figure(run.ranks[place].steps[step]);
    if (times.empty() || own <= 0) {
        return 0;
    }
    const double excess = 1 - static_cast<double>(model::median(std::move(times))) / static_cast<double>(own);
    return std::llround(static_cast<double>(onPathNs) * std::max(0.0, excess));
}

LateGroup originAt(const model::Model& model, const RunMetrics& run, std::size_t place,
                   const std::vector<PathPart>& path)
{
    const PeerPlaces peers = peersOf(model, run, place);
    LateGroup group;
    group.ranks = {run.ranks[place].rank};
    group.candidates = peers.size() + 1;
    for (std::size_t step = 0; step < path.size(); ++step) {
        const std::int64_t lost =
            model::addCapped(beyondPeers(run, place, peers, step, path[step].computeNs,
                                         [](const Breakdown& each) { return each.computeNs; }),
                             beyondPeers(run, place, peers, step, path[step].otherNs, otherTime));
        if (lost <= 0) {
            continue;
        }
        if (lost > group.largestNs) {
            group.largestNs = lost;
            group.worstWindow = run.ranks[place].windows[step];
        }
        group.lostNs[step] = lost;
        group.losses.push_back(lost);
        group.sumNs = model::addCapped(group.sumNs, lost);
    }
    return group;
}

} // namespace

bool hasSeveralGroups(const model::Model& model)
{
    if (!model.messages.empty()) {
        return true;
    }
    std::set<std::vector<std::size_t>> groups;
    for (const model::Operation& operation : model.operations) {
        std::vector<std::size_t> members;
        for (const model::Participant& part : operation.participants) {
            members.push_back(part.rank);
        }
        if (members.size() >= 2 && operation.complete()) {
            groups.insert(std::move(members));
        }
    }
    return groups.size() > 1;
}

std::vector<LateGroup> findOrigins(const model::Model& model, const RunMetrics& run)
{
    const auto path = criticalPath(model, run.ranks);
    std::vector<LateGroup> origins;
    for (std::size_t place = 0; place < path.size(); ++place) {
        origins.push_back(originAt(model, run, place, path[place]));
    }
    return origins;
}

} // namespace ringside::metrics
