// SPDX-License-Identifier: Apache-2.0
// Rows that the trace builder does not write: samples, operations of NCCL, allocations, levels of recording.
#pragma once
#include "support/trace_builder.h"

#include <cstdint>
#include <functional>

namespace ringside::test {

using Edit = std::function<void(TraceBuilder&)>;
/// The value of a series on a rank; `place` runs from 0 to 1 over the run.
using Values = std::function<std::int64_t(int rank, double place)>;

/// 48 samples of each rank over the time of its kernels.
[[nodiscard]] Edit sampled(const trace::SeriesSource& source, const char* entity,
                           const trace::SeriesMetric& metric, const trace::SeriesKindName& kind,
                           const Values& values);
[[nodiscard]] Edit gauge(const trace::SeriesMetric& metric, const Values& values);   ///< of gpu0, by NVML
[[nodiscard]] Edit counter(const trace::SeriesMetric& metric, const Values& values); ///< the same
/// The RDMA port mlx5_0:1 of the first host, sampled by its first rank; `place` as above.
using PortValues = std::function<std::int64_t(double place)>;
[[nodiscard]] Edit port(const trace::SeriesMetric& metric, const trace::SeriesKindName& kind,
                        const PortValues& values, const char* name = "mlx5_0:1");
/// It is up, at 200 Gb/s, and carries so many GB over the run.
[[nodiscard]] Edit activePort(
    std::int64_t gigabytes = 100, const char* name = "mlx5_0:1",
    const PortValues& state = [](double) { return 4; });
/// A counter of it that gains so much in the middle of the run.
[[nodiscard]] Edit portCounts(const trace::SeriesMetric& metric, std::int64_t gain,
                              const char* name = "mlx5_0:1");
/// What the trace says of a port that has no number.
[[nodiscard]] Edit portFact(const char* fact, const char* value, const char* name = "mlx5_0:1");
/// One event of rank 1's GPU, in the middle of the run.
[[nodiscard]] Edit xid(std::int64_t number);
/// Several at once.
[[nodiscard]] Edit all(std::vector<Edit> edits);

/// Every `every`th step's collectives ran as TREE, the others as RING.
[[nodiscard]] Edit algorithms(std::int64_t every);
/// 24 messages of each rank to the next one in the ring; those of rank 2 at `part` of the others' rate.
[[nodiscard]] Edit proxyMessages(double part);
/// A cudaFree that takes 200 us in every `every`th step.
[[nodiscard]] Edit frees(std::int64_t every);
/// The device tier's window ends with step `last`; light from then on.
[[nodiscard]] Edit windowUntil(std::size_t last);
/// Calls of asynchronous copies return when the copy is done.
void holdCopies(TraceBuilder& trace);
/// Gives a text of all ranks' string tables another wording.
[[nodiscard]] Edit renamed(const char* part, const char* whole);
/// The GPUs are real ones of that name.
[[nodiscard]] Edit onGpu(const char* name);

} // namespace ringside::test
