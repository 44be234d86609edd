// SPDX-License-Identifier: Apache-2.0
#include "hang/wait_chain.h"

#include "hang/verdict_text.h"
#include "words/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace ringside::hang {
namespace {

using document::WaitChain;
using Ranks = std::vector<std::int64_t>;

std::string forText(std::int64_t ns)
{
    constexpr std::int64_t kLeastShownNs = 1'000'000;
    return ns < kLeastShownNs ? std::string() : "for " + duration(ns);
}

/// What a living rank does, and since when.
WaitChain::Node doing(const RankReport& rank)
{
    WaitChain::Node node;
    if (rank.threads.empty()) {
        return node;
    }
    const ThreadReport& thread = rank.threads.front();
    node.since = forText(thread.forNs);
    if (!thread.function.empty()) {
        node.does = "is in " + thread.function;
    } else if (rank.openGroupCalls > 0) {
        node.does = fmt::format("has not closed its group (ncclGroupEnd) of {} call{}", rank.openGroupCalls,
                                rank.openGroupCalls == 1 ? "" : "s");
    } else if (!rank.stack.empty()) {
        node.does = "stands in " + rank.stack.front();
    } else if (!thread.lastCall.empty()) {
        node.does =
            (rank.callsKnown ? "is in no recorded call since " : "was last seen in ") + thread.lastCall;
    }
    return node;
}

/// What ranks do: their common state, else what they do if all do the same, else what the first one does.
WaitChain::Node nodeOf(const Report& report, const Ranks& ranks)
{
    WaitChain::Node node;
    node.who = rankList(ranks);
    node.does = words::render(stateOf(report, ranks), {});
    for (const std::int64_t rank : node.does.empty() ? ranks : Ranks()) {
        const RankReport* const known = reportOf(report, rank);
        WaitChain::Node now = known != nullptr ? doing(*known) : WaitChain::Node();
        if (rank == ranks.front()) {
            node.does = std::move(now.does);
            node.since = std::move(now.since);
        } else if (now.does != node.does) {
            node.does = node.does.empty() ? "" : fmt::format("rank {} {}", ranks.front(), node.does);
            break;
        }
    }
    return node;
}

/// Of calls that differ: what they do there instead.
std::string insteadOf(const StuckCollective& stuck)
{
    const auto odd = std::ranges::find_if(
        stuck.arrived, [&](const Arrived& each) { return !differenceOf(stuck.call(), each.call).empty(); });
    if (stuck.different.empty() || odd == stuck.arrived.end()) {
        return {};
    }
    const std::string difference = differenceOf(stuck.call(), odd->call);
    return stuck.tied                 ? "do not agree on the " + difference
           : difference == "function" ? fmt::format("calls {} there", odd->call.function)
                                      : "calls it with another " + difference;
}

class ChainBuilder final {
public:
    explicit ChainBuilder(const Report& report) : m_report(report), m_origin(report.origins.front()) {}

    WaitChain circle()
    {
        m_chain.circle = true;
        const std::vector<std::size_t>& calls = m_origin.chain;
        const bool all = calls.size() <= WaitChain::kMostInCircle;
        const std::size_t shown = all ? calls.size() : WaitChain::kMostInCircle - 1;
        for (std::size_t i = 0; i < shown; ++i) {
            addWait(calls[i], i < m_origin.sides.size() ? m_origin.sides[i] : waitersOf(calls[i]), 0);
        }
        if (!all) {
            addFolded({calls.begin() + static_cast<std::ptrdiff_t>(shown), calls.end()}, 0);
        }
        const std::size_t count = m_chain.nodes.size();
        for (std::size_t i = 0; i < count; ++i) {
            connect(i, (i + 1) % count);
        }
        noteRest(m_origin.waiting);
        return std::move(m_chain);
    }

    WaitChain tree()
    {
        WaitChain::Node origin = nodeOf(m_report, m_origin.ranks);
        const StuckCollective& last = m_report.collectives[m_origin.chain.back()];
        if (std::string instead = insteadOf(last); !instead.empty()) {
            origin.does = std::move(instead);
            origin.since.clear();
        }
        m_chain.nodes.push_back(std::move(origin));
        m_calls.emplace_back();
        const auto layers = layersOf();
        std::size_t layer = 1;
        for (; layer <= layers.size() && layer <= WaitChain::kMostLayers; ++layer) {
            addLayer(layers[layer - 1], layer);
        }
        std::vector<std::size_t> far;
        for (; layer <= layers.size(); ++layer) {
            far.insert(far.end(), layers[layer - 1].begin(), layers[layer - 1].end());
        }
        if (!far.empty()) {
            addFolded(far, WaitChain::kMostLayers + 1);
        }
        for (std::size_t from = 1; from < m_chain.nodes.size(); ++from) {
            connectDown(from);
        }
        noteRest(0);
        return std::move(m_chain);
    }

private:
    [[nodiscard]] Ranks waitersOf(std::size_t call) const
    {
        const Ranks& blockers = blockersOfCall(call);
        Ranks ranks = arrivedRanks(m_report.collectives[call]);
        std::erase_if(ranks,
                      [&](std::int64_t rank) { return std::ranges::find(blockers, rank) != blockers.end(); });
        return ranks;
    }
    /// The ranks that stopped in a call that all issued are its blockers, though the call does not tell.
    [[nodiscard]] const Ranks& blockersOfCall(std::size_t call) const
    {
        const Ranks& blockers = blockersOf(m_report.collectives[call]);
        return blockers.empty() ? m_origin.ranks : blockers;
    }

    void addWait(std::size_t call, const Ranks& waiters, std::size_t layer)
    {
        WaitChain::Node node = nodeOf(m_report, waiters);
        node.layer = layer;
        node.since = forText(m_report.collectives[call].waitedNs);
        m_chain.nodes.push_back(std::move(node));
        m_calls.push_back({call});
        m_shown += 1;
    }

    void addFolded(const std::vector<std::size_t>& calls, std::size_t layer)
    {
        std::set<std::int64_t> ranks;
        for (const std::size_t call : calls) {
            const Ranks waiters = waitersOf(call);
            ranks.insert(waiters.begin(), waiters.end());
        }
        WaitChain::Node node;
        node.who = rankList({ranks.begin(), ranks.end()});
        node.does = fmt::format("wait in {} more calls{}", calls.size(),
                                layer > WaitChain::kMostLayers ? ", through others" : "");
        node.layer = layer;
        m_chain.nodes.push_back(std::move(node));
        m_calls.push_back(calls);
        m_shown += calls.size();
    }

    void addLayer(const std::vector<std::size_t>& calls, std::size_t layer)
    {
        std::vector<std::size_t> filled;
        std::ranges::copy_if(calls, std::back_inserter(filled),
                             [&](std::size_t call) { return !waitersOf(call).empty(); });
        const bool all = filled.size() <= WaitChain::kMostInLayer;
        const std::size_t shown = all ? filled.size() : WaitChain::kMostInLayer - 1;
        for (std::size_t i = 0; i < shown; ++i) {
            addWait(filled[i], waitersOf(filled[i]), layer);
        }
        if (!all) {
            addFolded({filled.begin() + static_cast<std::ptrdiff_t>(shown), filled.end()}, layer);
        }
    }

    /// Calls by the number of waits from them to the origin.
    [[nodiscard]] std::vector<std::vector<std::size_t>> layersOf() const
    {
        std::map<std::int64_t, std::vector<std::size_t>> waitFor;
        for (std::size_t call = 0; call < m_report.collectives.size(); ++call) {
            for (const std::int64_t rank : blockersOfCall(call)) {
                waitFor[rank].push_back(call);
            }
        }
        std::vector<std::vector<std::size_t>> layers;
        std::set<std::size_t> seen;
        std::set<std::int64_t> ranks(m_origin.ranks.begin(), m_origin.ranks.end());
        while (!ranks.empty()) {
            std::vector<std::size_t> layer;
            for (const std::int64_t rank : ranks) {
                std::ranges::copy_if(waitFor[rank], std::back_inserter(layer),
                                     [&](std::size_t call) { return seen.insert(call).second; });
            }
            ranks.clear();
            for (const std::size_t call : layer) {
                const Ranks waiters = waitersOf(call);
                ranks.insert(waiters.begin(), waiters.end());
            }
            std::ranges::sort(layer);
            if (!layer.empty()) {
                layers.push_back(std::move(layer));
            }
        }
        return layers;
    }

    void connect(std::size_t from, std::size_t to)
    {
        const bool folded = m_calls[from].size() != 1;
        const std::size_t call = m_calls[from].front();
        m_chain.edges.push_back(
            {from, to, folded ? "" : words::render(nameText(m_report.collectives[call]), {}),
             folded || !m_origin.sides.empty() ? m_chain.nodes[to].who : rankList(blockersOfCall(call))});
    }

    /// Connects a node with those of the next layer that hold a rank which it waits for.
    void connectDown(std::size_t from)
    {
        std::set<std::int64_t> blockers;
        for (const std::size_t call : m_calls[from]) {
            blockers.insert(blockersOfCall(call).begin(), blockersOfCall(call).end());
        }
        for (std::size_t to = 0; to < from; ++to) {
            if (m_chain.nodes[to].layer + 1 != m_chain.nodes[from].layer) {
                continue;
            }
            const auto holds = [&](const Ranks& ranks) {
                return std::ranges::any_of(ranks, [&](std::int64_t rank) { return blockers.contains(rank); });
            };
            const bool leads =
                to == 0 ? holds(m_origin.ranks) : std::ranges::any_of(m_calls[to], [&](std::size_t call) {
                    return holds(waitersOf(call));
                });
            if (leads) {
                connect(from, to);
            }
        }
    }

    void noteRest(std::size_t waiting)
    {
        const std::size_t rest = m_report.collectives.size() - std::min(m_report.collectives.size(), m_shown);
        if (waiting > 0) {
            m_chain.note = fmt::format("{} more rank{} wait{} for these.", waiting, waiting == 1 ? "" : "s",
                                       waiting == 1 ? "s" : "");
        } else if (m_report.origins.size() > 1) {
            m_chain.note = fmt::format("Left out: {} call{} that {} for other ranks.", rest,
                                       rest == 1 ? "" : "s", rest == 1 ? "waits" : "wait");
        }
    }

    const Report& m_report;
    const Origin& m_origin;
    WaitChain m_chain;
    std::vector<std::vector<std::size_t>> m_calls; ///< of each node
    std::size_t m_shown = 0;                       ///< calls that stand in the picture
};

/// Of processes of which only stacks are known: those in a call of NCCL may wait for the origin.
std::optional<WaitChain> chainOfStacks(const Report& report)
{
    const Ranks& first = report.origins.front().ranks;
    Ranks waiting;
    for (const RankReport& rank : report.ranks) {
        const bool inNccl = !rank.threads.empty() && rank.threads.front().function.starts_with("nccl");
        if (rank.rank >= 0 && inNccl && std::ranges::find(first, rank.rank) == first.end()) {
            waiting.push_back(rank.rank);
        }
    }
    if (waiting.empty()) {
        return std::nullopt;
    }
    WaitChain chain;
    chain.nodes = {nodeOf(report, first), nodeOf(report, waiting)};
    chain.nodes[1].layer = 1;
    chain.edges = {{1, 0, "", rankList(first)}};
    return chain;
}

} // namespace

std::optional<WaitChain> waitChainOf(const Report& report)
{
    if (!report.origins.empty() && report.origins.front().chain.empty()) {
        return chainOfStacks(report);
    }
    if (!report.origins.empty()) {
        return report.origins.front().circle ? ChainBuilder(report).circle() : ChainBuilder(report).tree();
    }
    if (!report.diedFirst) {
        return std::nullopt;
    }
    WaitChain chain;
    chain.nodes.push_back(nodeOf(report, {*report.diedFirst}));
    return chain;
}

} // namespace ringside::hang
