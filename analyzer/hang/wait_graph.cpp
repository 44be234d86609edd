// SPDX-License-Identifier: Apache-2.0
#include "hang/wait_graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace ringside::hang {
namespace {

using Index = std::size_t;

bool isAmong(std::int64_t rank, const std::vector<std::int64_t>& ranks)
{
    return std::ranges::find(ranks, rank) != ranks.end();
}

/// Nodes are the calls, by their index, and behind them the ranks.
class Graph final {
public:
    explicit Graph(const std::vector<StuckCollective>& stuck) : m_stuck(stuck), m_next(stuck.size())
    {
        for (Index call = 0; call < stuck.size(); ++call) {
            std::set<std::int64_t> blockers(blockersOf(stuck[call]).begin(), blockersOf(stuck[call]).end());
            for (const std::int64_t rank : blockers) {
                connect(call, nodeOf(rank));
            }
            for (const Arrived& arrived : stuck[call].arrived) {
                if (!blockers.contains(arrived.rank)) {
                    connect(nodeOf(arrived.rank), call);
                }
            }
        }
        m_before.resize(m_next.size());
        for (Index node = 0; node < m_next.size(); ++node) {
            for (const Index to : m_next[node]) {
                m_before[to].push_back(node);
            }
        }
        findComponents();
    }

    [[nodiscard]] bool isCall(Index node) const { return node < m_stuck.size(); }
    [[nodiscard]] std::int64_t rankOf(Index node) const { return m_ranks[node - m_stuck.size()]; }
    [[nodiscard]] const std::vector<Index>& next(Index node) const { return m_next[node]; }
    [[nodiscard]] const std::vector<Index>& before(Index node) const { return m_before[node]; }
    [[nodiscard]] Index ranks() const { return m_ranks.size(); }
    [[nodiscard]] Index componentOf(Index node) const { return m_component[node]; }

    /// Returns the nodes of each component from which no way leads out.
    [[nodiscard]] std::vector<std::vector<Index>> ends() const
    {
        std::vector<std::vector<Index>> components(m_components);
        std::vector<bool> leaves(m_components, false);
        for (Index node = 0; node < m_next.size(); ++node) {
            components[m_component[node]].push_back(node);
            for (const Index to : m_next[node]) {
                leaves[m_component[node]] = leaves[m_component[node]] || m_component[to] != m_component[node];
            }
        }
        std::vector<std::vector<Index>> result;
        for (Index i = 0; i < m_components; ++i) {
            if (!leaves[i]) {
                result.push_back(std::move(components[i]));
            }
        }
        return result;
    }

    /// Returns how many steps every node is from `targets`; the number of nodes where no way leads. A call is
    /// behind the last of those that it waits for, so that one which waits for the targets alone is the
    /// nearest. Where some of these do not lead to the targets, the others count.
    [[nodiscard]] std::vector<Index> distancesTo(const std::vector<Index>& targets) const
    {
        const Index none = m_next.size();
        std::vector<Index> distance(none, none);
        std::vector<Index> left(none); // of those that a call waits for
        std::ranges::transform(m_next, left.begin(), [](const auto& each) { return each.size(); });
        std::deque<Index> queue(targets.begin(), targets.end());
        std::deque<std::pair<Index, Index>> partly; // calls, with their distance by those that are reached
        for (const Index target : targets) {
            distance[target] = 0;
        }
        while (!queue.empty() || !partly.empty()) {
            if (queue.empty()) {
                const auto [call, by] = partly.front();
                partly.pop_front();
                if (distance[call] == none) {
                    distance[call] = by;
                    queue.push_back(call);
                }
                continue;
            }
            const Index at = queue.front();
            queue.pop_front();
            for (const Index from : m_before[at]) {
                if (distance[from] != none) {
                    continue;
                }
                if (isCall(from) && --left[from] > 0) {
                    partly.emplace_back(from, distance[at] + 1);
                } else {
                    distance[from] = distance[at] + 1;
                    queue.push_back(from);
                }
            }
        }
        return distance;
    }

private:
    Index nodeOf(std::int64_t rank)
    {
        const auto [place, fresh] = m_nodes.try_emplace(rank, m_next.size());
        if (fresh) {
            m_next.emplace_back();
            m_ranks.push_back(rank);
        }
        return place->second;
    }
    void connect(Index from, Index to) { m_next[from].push_back(to); }

    /// Strongly connected components by Tarjan's algorithm, without recursion.
    void findComponents()
    {
        const Index none = m_next.size() + 1;
        std::vector<Index> number(m_next.size(), none);
        std::vector<Index> low(m_next.size(), none);
        m_component.assign(m_next.size(), none);
        std::vector<Index> open;
        std::vector<std::pair<Index, Index>> path; // node, next edge
        Index count = 0;
        for (Index root = 0; root < m_next.size(); ++root) {
            if (number[root] == none) {
                path.emplace_back(root, 0);
            }
            while (!path.empty()) {
                const Index node = path.back().first;
                if (path.back().second == 0) {
                    number[node] = low[node] = count++;
                    open.push_back(node);
                }
                if (path.back().second < m_next[node].size()) {
                    const Index to = m_next[node][path.back().second++];
                    if (number[to] == none) {
                        path.emplace_back(to, 0);
                    } else if (m_component[to] == none) {
                        low[node] = std::min(low[node], number[to]);
                    }
                    continue;
                }
                if (low[node] == number[node]) {
                    close(node, open);
                }
                path.pop_back();
                if (!path.empty()) {
                    Index& parent = low[path.back().first];
                    parent = std::min(parent, low[node]);
                }
            }
        }
    }
    void close(Index node, std::vector<Index>& open)
    {
        while (true) {
            const Index member = open.back();
            open.pop_back();
            m_component[member] = m_components;
            if (member == node) {
                break;
            }
        }
        ++m_components;
    }

    const std::vector<StuckCollective>& m_stuck;
    std::vector<std::vector<Index>> m_next;
    std::vector<std::vector<Index>> m_before;
    std::vector<std::int64_t> m_ranks; ///< of the nodes behind the calls
    std::map<std::int64_t, Index> m_nodes;
    std::vector<Index> m_component;
    Index m_components = 0;
};

/// Returns the calls of a circle, each of which waits for a rank in the next one.
std::vector<Index> circleIn(const Graph& graph, const std::vector<Index>& component)
{
    std::vector<Index> path;
    Index at = *std::ranges::find_if(component, [&](Index node) { return graph.isCall(node); });
    while (std::ranges::find(path, at) == path.end()) {
        path.push_back(at);
        at = *std::ranges::find_if(graph.next(at), [&](Index to) {
            return graph.componentOf(to) == graph.componentOf(component.front());
        });
    }
    path.erase(path.begin(), std::ranges::find(path, at));
    std::erase_if(path, [&](Index node) { return !graph.isCall(node); });
    return path;
}

/// Returns the calls on the way from the farthest rank that waits to the targets.
std::vector<Index> longestWay(const Graph& graph, const std::vector<Index>& distance)
{
    const Index none = distance.size();
    Index at = none;
    for (Index node = 0; node < none; ++node) {
        if (graph.isCall(node) && distance[node] != none && (at == none || distance[node] > distance[at])) {
            at = node;
        }
    }
    std::vector<Index> way;
    while (at != none && distance[at] > 0) {
        if (graph.isCall(at)) {
            way.push_back(at);
        }
        at =
            *std::ranges::find_if(graph.next(at), [&](Index to) { return distance[to] + 1 == distance[at]; });
    }
    return way;
}

std::size_t ranksIn(const Graph& graph, const std::vector<Index>& distance)
{
    std::size_t ranks = 0;
    for (Index node = 0; node < distance.size(); ++node) {
        ranks += !graph.isCall(node) && distance[node] > 0 && distance[node] != distance.size() ? 1 : 0;
    }
    return ranks;
}

/// Joins ends that are single ranks and that one call waits for.
std::vector<std::vector<Index>> joined(const Graph& graph, std::vector<std::vector<Index>> ends)
{
    std::vector<std::vector<Index>> result;
    std::map<Index, Index> place; // of a call in the result
    for (std::vector<Index>& end : ends) {
        if (graph.isCall(end.front()) && end.size() == 1) {
            continue; // a call of which it is not known for whom it waits
        }
        if (end.size() > 1) {
            result.push_back(std::move(end));
            continue;
        }
        const auto& calls = graph.before(end.front());
        const auto known = std::ranges::find_if(calls, [&](Index call) { return place.contains(call); });
        const Index to = known != calls.end() ? place[*known] : result.size();
        if (to == result.size()) {
            result.emplace_back();
        }
        result[to].push_back(end.front());
        for (const Index call : calls) {
            place.try_emplace(call, to);
        }
    }
    return result;
}

Origin originOf(const Graph& graph, const std::vector<Index>& end)
{
    Origin origin;
    const std::vector<Index> distance = graph.distancesTo(end);
    origin.waiting = ranksIn(graph, distance);
    origin.circle = std::ranges::any_of(end, [&](Index node) { return graph.isCall(node); });
    origin.chain = origin.circle ? circleIn(graph, end) : longestWay(graph, distance);
    for (const Index node : end) {
        if (!graph.isCall(node)) {
            origin.ranks.push_back(graph.rankOf(node));
        }
    }
    std::ranges::sort(origin.ranks);
    return origin;
}

} // namespace

const std::vector<std::int64_t>& blockersOf(const StuckCollective& stuck)
{
    return !stuck.different.empty() ? stuck.different
           : !stuck.missing.empty() ? stuck.missing
           : !stuck.queued.empty()  ? stuck.queued
                                    : stuck.unknown;
}

std::vector<Origin> originsOf(const std::vector<StuckCollective>& stuck)
{
    const Graph graph(stuck);
    std::vector<Origin> origins;
    for (const std::vector<Index>& end : joined(graph, graph.ends())) {
        Origin origin = originOf(graph, end);
        if (!origin.chain.empty()) {
            origins.push_back(std::move(origin));
        }
    }
    const auto key = [&](const Origin& origin) {
        const StuckCollective& last = stuck[origin.chain.back()];
        return std::make_tuple(last.different.empty(), -static_cast<std::int64_t>(origin.waiting),
                               -last.waitedNs);
    };
    std::ranges::stable_sort(origins, {}, key);
    return origins;
}

void orderByOrigin(std::vector<StuckCollective>& stuck)
{
    const std::vector<Origin> origins = originsOf(stuck);
    if (origins.empty()) {
        return;
    }
    const Graph graph(stuck);
    std::vector<Index> targets;
    for (Index node = stuck.size(); node < stuck.size() + graph.ranks(); ++node) {
        if (isAmong(graph.rankOf(node), origins.front().ranks)) {
            targets.push_back(node);
        }
    }
    const std::vector<Index> distance = graph.distancesTo(targets);
    const auto key = [&](Index call) {
        return std::make_tuple(stuck[call].different.empty(), distance[call], -stuck[call].waitedNs);
    };
    std::vector<Index> order(stuck.size());
    for (Index i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(order, {}, key);
    std::vector<StuckCollective> sorted;
    for (const Index call : order) {
        sorted.push_back(std::move(stuck[call]));
    }
    stuck = std::move(sorted);
}

void findWrongPeers(std::vector<StuckCollective>& stuck)
{
    for (StuckCollective& sent : stuck) {
        if (!sent.pointToPoint || sent.missing.size() != 1 || sent.call().function != "ncclSend") {
            continue;
        }
        const std::int64_t sender = sent.arrived.front().rank;
        const auto expected = std::ranges::find_if(stuck, [&](const StuckCollective& other) {
            return other.pointToPoint && other.communicator == sent.communicator &&
                   other.missing == std::vector{sender} && other.call().function == "ncclRecv" &&
                   other.call().bytes == sent.call().bytes;
        });
        const bool awaited = std::ranges::any_of(stuck, [&](const StuckCollective& other) {
            return std::ranges::any_of(
                other.arrived, [&](const Arrived& each) { return each.rank == sent.missing.front(); });
        });
        if (expected != stuck.end() && !awaited) {
            expected->different = {sender};
            expected->missing.clear();
            expected->arrived.push_back(sent.arrived.front());
            sent.arrived.clear();
        }
    }
    std::erase_if(stuck, [](const StuckCollective& each) { return each.arrived.empty(); });
}

} // namespace ringside::hang
