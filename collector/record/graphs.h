// SPDX-License-Identifier: Apache-2.0
// Which CUDA graphs hold which NCCL calls. A captured call does not run; every launch of the graph runs
// it again. Followed by handles from the capture to the graph, the executable graph and the launch.
// Updates take a mutex, in calls that are rare and slow themselves; a launch only looks up. When the
// fixed tables are full a graph stays unknown, and its launches have no number.
#pragma once
#include "record/handle_table.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace ringside::collector {

struct Communicator;

/// Number of captures in progress in the process. While it is 0, no call asks whether its stream is
/// being captured.
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
    /// Returns the graph of CUDA's capture id `capture`, and creates it at the first use. Null: no room.
    /// The pointer is valid until endCapture().
    CapturedGraph* captured(std::uint64_t capture);
    /// Adds a data call to a graph that is being captured. Returns the graph's id, 0 for null.
    std::uint32_t addCall(CapturedGraph* graph, Communicator* communicator);
    /// Ends a capture, which became the graph of this handle (0: it failed). `capture` is 0 if CUDA no
    /// longer gives its id (it became invalid).
    void endCapture(std::uint64_t capture, std::uint64_t graph);
    void copyGraph(std::uint64_t from, std::uint64_t to);
    /// Records that an executable graph was instantiated from a graph or updated with it. Registers a
    /// graph that was not captured.
    void instantiate(std::uint64_t graph, std::uint64_t executable);
    void forgetGraph(std::uint64_t graph);
    void forgetExecutable(std::uint64_t executable);
    /// Returns what a launch runs. Null: unknown. Takes no lock: CUDA forbids destroying or updating an
    /// executable graph while it is being launched.
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
