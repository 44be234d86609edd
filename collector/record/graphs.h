// SPDX-License-Identifier: Apache-2.0
// Which CUDA graphs hold which NCCL calls: a call that is captured does not run, every launch of the graph
// runs it again. Counted from the capture over graph and executable graph to the launch, by handles. Changed
// under a mutex, by calls that are rare and slow themselves; a launch only looks up. Beyond its fixed room a
// graph is unknown: its launches have no number then.
#pragma once
#include "record/handle_table.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace ringside::collector {

struct Communicator;

/// How many captures go on in the process: while it is 0, no call asks whether its stream is captured.
extern std::atomic<int> g_openCaptures;

struct CapturedGraph {
    struct Part {
        Communicator* communicator;
        std::uint32_t calls;
    };
    static constexpr std::size_t kMostParts = 16;

    std::uint32_t id = 0; ///< 1 upwards, never used again
    std::uint32_t partCount = 0;
    std::array<Part, kMostParts> parts{};
    std::uint32_t references = 0; ///< by the open capture, graphs and executable graphs
};

class Graphs final {
public:
    void beginCapture();
    /// The graph that CUDA's capture sequence `capture` makes, new at its first use; null when there is no
    /// room. The pointer is good until endCapture().
    CapturedGraph* captured(std::uint64_t capture);
    /// Counts a data call into a graph that is being captured; returns the graph's id, 0 for null.
    std::uint32_t addCall(CapturedGraph* graph, Communicator* communicator);
    /// The capture became the graph of this handle, or nothing when that is 0. `capture` is 0 when CUDA no
    /// longer tells its number (it became invalid).
    void endCapture(std::uint64_t capture, std::uint64_t graph);
    void copyGraph(std::uint64_t from, std::uint64_t to);
    /// Made of a graph, or now doing what that one does. A graph that was not captured becomes known here.
    void instantiate(std::uint64_t graph, std::uint64_t executable);
    void forgetGraph(std::uint64_t graph);
    void forgetExecutable(std::uint64_t executable);
    /// What a launch of it runs, null when it is unknown. No lock: as in CUDA itself, an executable graph is
    /// neither destroyed nor updated while it is being launched.
    [[nodiscard]] const CapturedGraph* launched(std::uint64_t executable) const
    {
        return m_executables.find(executable);
    }

private:
    static constexpr std::size_t kMostGraphs = 1 << 12;
    static constexpr std::size_t kMostCaptures = 64;
    using Handles = HandleTable<CapturedGraph*, kMostGraphs>;
    struct OpenCapture {
        std::uint64_t id;
        CapturedGraph* graph; ///< null: this entry is free
    };

    CapturedGraph* find(std::uint64_t capture);
    CapturedGraph* make();
    static void release(CapturedGraph* graph);
    static void assign(Handles& handles, std::uint64_t handle, CapturedGraph* graph);

    std::mutex m_mutex;
    std::uint32_t m_nextId = 1;
    std::array<CapturedGraph, kMostGraphs> m_all{}; ///< those without a reference are free
    std::size_t m_nextFree = 0;                     ///< where the last one was found
    std::array<OpenCapture, kMostCaptures> m_open{};
    Handles m_graphs;
    Handles m_executables;
};

} // namespace ringside::collector
