// SPDX-License-Identifier: Apache-2.0
// Executable graphs. A launch queues every node's work: chains of nodes go into one stream, branches into
// streams owned by the executable graph, so that they run in parallel. Launches of one executable graph run
// one after the other, in any streams.
#pragma once
#include "graph.h"
#include "stream.h"

#include <memory>
#include <mutex>
#include <vector>

namespace ringside::platform {

class GraphExec final {
public:
    /// Returns null for a graph with a cycle.
    static std::shared_ptr<GraphExec> instantiate(const Graph& graph, unsigned long long flags);
    GraphExec() = default;
    ~GraphExec();
    GraphExec(const GraphExec&) = delete;
    GraphExec& operator=(const GraphExec&) = delete;

    /// Returns the flags given to instantiate().
    [[nodiscard]] unsigned long long flags() const { return m_flags; }
    /// Queues one run of the graph with the calling function's correlation id.
    [[nodiscard]] cudaError_t launch(Stream& stream);
    /// Takes the tasks of a graph of the same form; `error` gets the first node that does not fit.
    [[nodiscard]] cudaGraphExecUpdateResult update(const Graph& graph, GraphNodePtr& error);
    /// Replaces the task of a node. Returns false for a node of another graph.
    [[nodiscard]] bool replace(const GraphNodePtr& node, NodeTaskPtr task);

private:
    struct Step {
        NodeTaskPtr task;
        GraphNodePtr node; ///< of the graph it was created from
        std::size_t lane = 0;
        std::vector<std::size_t> after = {}; ///< indices of earlier steps
    };
    struct Lane {
        int device = 0;
        std::size_t last = 0;                ///< newest step
        std::shared_ptr<Stream> stream = {}; ///< null: the stream of the launch
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
