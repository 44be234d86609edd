// SPDX-License-Identifier: Apache-2.0
// The same GPUs over several runs: which of them compute longer than their peers wherever they are used.
#pragma once
#include "report/report.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ringside::compare {

/// A GPU in one run.
struct GpuInRun {
    std::size_t run = 0; ///< index into History::runs
    std::int64_t rank = 0;
    /// Its median compute time of a step over the median of the ranks with the same work, minus 1.
    double excess = 0;
    bool slow = false; ///< excess above the limit
};

struct GpuHistory {
    std::string uuid; ///< empty if the trace does not contain it
    std::string host;
    std::int64_t ordinal = 0; ///< CUDA ordinal in its process
    std::vector<GpuInRun> runs;
    [[nodiscard]] std::size_t slowRuns() const;
    [[nodiscard]] double medianExcess() const; ///< over all runs
    [[nodiscard]] double slowExcess() const;   ///< over the runs in which it was slow; there must be one
    /// Whether it had the same rank in all runs, so that its work cannot be told from the GPU.
    [[nodiscard]] bool oneRank() const;

private:
    [[nodiscard]] double medianOf(bool (*counts)(const GpuInRun&)) const;
};

struct History {
    double limit = 0; ///< an excess above this share is slow
    std::vector<std::string> runs;
    std::vector<GpuHistory> gpus;     ///< those that were slow in most runs first
    std::vector<std::string> remarks; ///< what limits the conclusions
    /// Returns the GPUs that were slow in at least two runs, and in at least half of those in which they were
    /// seen: heat and power come and go, and a single slow run may have been another's work.
    [[nodiscard]] std::vector<const GpuHistory*> oftenSlow() const;
};

/// Collects runs one after the other, so that only one has to be in memory.
class HistoryBuilder final {
public:
    explicit HistoryBuilder(double limit) { m_history.limit = limit; }
    /// Throws ringside::Error (Usage) if the run was added before.
    void add(const report::Report& report);
    /// Throws ringside::Error (Unusable) if no run has compute times of two ranks with the same work.
    [[nodiscard]] History finish();

private:
    [[nodiscard]] GpuHistory& gpuOf(const model::Model& model, const model::Rank& rank);

    History m_history;
    std::set<std::filesystem::path> m_paths;
};

[[nodiscard]] std::string textOf(const History& history, bool markdown, std::size_t width);
/// Returns ringside-history/1.
[[nodiscard]] std::string jsonOf(const History& history);

} // namespace ringside::compare
