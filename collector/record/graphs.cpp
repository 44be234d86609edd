// SPDX-License-Identifier: Apache-2.0
#include "record/graphs.h"

#include <utility>

namespace ringside::collector {

std::atomic<int> g_openCaptures{0};

CapturedGraph* Graphs::make()
{
    for (std::size_t tried = 0; tried < kMostGraphs; ++tried) {
        CapturedGraph& graph = m_all[m_nextFree];
        m_nextFree = (m_nextFree + 1) % kMostGraphs;
        if (graph.references == 0) {
            graph.id = m_nextId++;
            graph.partCount = 0;
            return &graph;
        }
    }
    return nullptr;
}

void Graphs::release(CapturedGraph* graph)
{
    if (graph != nullptr) {
        --graph->references;
    }
}

/// Maps the handle to this graph from now on; to none if `graph` is null or there is no room.
void Graphs::assign(Handles& handles, std::uint64_t handle, CapturedGraph* graph)
{
    CapturedGraph* const before = handles.find(handle);
    if (before == nullptr && graph == nullptr) {
        return;
    }
    if (handles.set(handle, graph)) {
        release(before);
        if (graph != nullptr) {
            ++graph->references;
        }
    }
}

CapturedGraph* Graphs::find(std::uint64_t capture)
{
    OpenCapture* free = nullptr;
    for (OpenCapture& open : m_open) {
        if (open.graph != nullptr && open.id == capture) {
            return open.graph;
        }
        free = open.graph == nullptr ? &open : free;
    }
    if (free == nullptr) {
        return nullptr;
    }
    *free = {capture, make()};
    if (free->graph != nullptr) {
        ++free->graph->references;
    }
    return free->graph;
}

void Graphs::beginCapture()
{
    const std::scoped_lock lock(m_mutex);
    ++g_openCaptures;
}

CapturedGraph* Graphs::captured(std::uint64_t capture)
{
    const std::scoped_lock lock(m_mutex);
    return find(capture);
}

std::uint32_t Graphs::addCall(CapturedGraph* graph, Communicator* communicator)
{
    if (graph == nullptr) {
        return 0;
    }
    const std::scoped_lock lock(m_mutex);
    for (std::uint32_t index = 0; index < graph->partCount; ++index) {
        if (graph->parts[index].communicator == communicator) {
            ++graph->parts[index].calls;
            return graph->id;
        }
    }
    if (communicator != nullptr && graph->partCount < CapturedGraph::kMostParts) {
        graph->parts[graph->partCount++] = {communicator, 1};
    }
    return graph->id;
}

void Graphs::endCapture(std::uint64_t capture, std::uint64_t graph)
{
    const std::scoped_lock lock(m_mutex);
    if (graph != 0) {
        assign(m_graphs, graph, capture != 0 ? find(capture) : nullptr);
    }
    const int open = g_openCaptures.load() - 1;
    if (open >= 0) { // one that began before recording did is not counted
        g_openCaptures = open;
    }
    for (OpenCapture& entry : m_open) {
        if (entry.id == capture || open <= 0) { // the last one takes along those that became invalid
            release(std::exchange(entry.graph, nullptr));
        }
    }
}

void Graphs::copyGraph(std::uint64_t from, std::uint64_t to)
{
    const std::scoped_lock lock(m_mutex);
    assign(m_graphs, to, m_graphs.find(from));
}

void Graphs::instantiate(std::uint64_t graph, std::uint64_t executable)
{
    const std::scoped_lock lock(m_mutex);
    CapturedGraph* known = m_graphs.find(graph);
    if (known == nullptr) {
        known = make();
        assign(m_graphs, graph, known);
    }
    assign(m_executables, executable, known);
}

void Graphs::forgetGraph(std::uint64_t graph)
{
    const std::scoped_lock lock(m_mutex);
    assign(m_graphs, graph, nullptr);
}

void Graphs::forgetExecutable(std::uint64_t executable)
{
    const std::scoped_lock lock(m_mutex);
    assign(m_executables, executable, nullptr);
}

} // namespace ringside::collector
