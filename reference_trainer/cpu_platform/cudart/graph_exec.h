// SPDX-License-Identifier: Apache-2.0
// Executable graphs. A launch puts every node's work into a stream: chains of nodes follow each other in one,
// branches get streams of the executable graph's own, so they run at the same time. Launches of one
// executable graph follow each other, whatever streams they are launched into.
#pragma once
#include "graph.h"
#include "stream.h"

#include <memory>
#include <mutex>
#include <vector>

namespace ringside::platform {

class GraphExec final {
public:
    /// Null for a graph with a cycle.
    static std::shared_ptr<GraphExec> instantiate(const Graph& graph, unsigned long long flags);
    GraphExec() = default;
    ~GraphExec();
    GraphExec(const GraphExec&) = delete;
    GraphExec& operator=(const GraphExec&) = delete;

    /// As they were given to instantiate().
    [[nodiscard]] unsigned long long flags() const { return m_flags; }
    /// Queues one run of the graph under the calling function's correlation id.
    [[nodiscard]] cudaError_t launch(Stream& stream);
    /// Takes over what a graph of the same form does; the first node that does not fit is in `error`.
    [[nodiscard]] cudaGraphExecUpdateResult update(const Graph& graph, GraphNodePtr& error);
    /// Replaces what a node does. False for a node of another graph.
    [[nodiscard]] bool replace(const GraphNodePtr& node, NodeTaskPtr task);

private:
    struct Step {
        NodeTaskPtr task;
        GraphNodePtr node; ///< of the graph it was made from
        std::size_t lane = 0;
        std::vector<std::size_t> after = {}; ///< steps, all before this one
    };
    struct Lane {
        int device = 0;
        std::size_t last = 0;                ///< newest step
        std::shared_ptr<Stream> stream = {}; ///< null: the stream that the graph is launched into
    };
    std::size_t laneFor(const Step& step, std::size_t index);
    void openStreams(const Stream& launchedInto);
    [[nodiscard]] cudaError_t cloneArguments(std::vector<QueueItem>& items) const;
    void push(Stream& stream, std::vector<QueueItem>& items, std::vector<CompletionPtr> before);

    std::mutex m_mutex;
    std::uint32_t m_id = 0;
    unsigned long long m_flags = 0;
    std::vector<Step> m_steps;
    std::vector<Lane> m_lanes;
    CompletionPtr m_lastLaunch;
};

} // namespace ringside::platform
