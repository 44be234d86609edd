// SPDX-License-Identifier: Apache-2.0
// A data-parallel training run for the trace builder, described by the quantities that rules evaluate:
// compute times, messages of gradients, late ranks. Deterministic, so that expectations can be exact.
#pragma once
#include "support/durations.h"
#include "support/trace_builder.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ringside::test {

struct TrainingRun {
    int ranks = 4;
    int steps = 24;
    bool deviceTier = true;
    std::int64_t computeNs = 20 * kMillisecond; ///< forward and backward of a step
    std::int64_t jitterNs = 40'000;             ///< of each part of compute, different by rank and step
    std::vector<std::uint64_t> buckets = {4U << 20U, 8U << 20U}; ///< bytes, in the order they become ready
    bool overlap = true;                                         ///< reduce while backward runs
    double latencyNs = 30'000;                                   ///< of an all-reduce
    double bytesPerNs = 10;                                      ///< GB/s
    std::int64_t dataNs = 200'000;                               ///< host time in the loader, a step
    std::int64_t hostNs = 100'000;                               ///< host time that launches nothing, a step
    int lateRank = -1;
    std::int64_t lateNs = 0;     ///< more than the others, a step
    bool lateByData = false;     ///< in the loader, not in compute
    bool synchronize = false;    ///< the host waits for the device after each step
    std::uint64_t copyBytes = 0; ///< to the device before each step
    std::int64_t copyNs = 500'000;
    int hosts = 1; ///< that the ranks are spread over, in order
    std::function<std::int64_t(std::int64_t step, int rank)> extraNs = {}; ///< of compute
    std::function<double(std::int64_t step)> networkSpeed = {};            ///< 2: twice as fast
    std::function<void(TraceBuilder&)> edit = {};          ///< adds what the words above cannot say
    std::function<void(trace::RunTrace&)> afterwards = {}; ///< changes how the finished run ended
};

[[nodiscard]] trace::RunTrace simulate(const TrainingRun& run);

} // namespace ringside::test
