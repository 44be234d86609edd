// SPDX-License-Identifier: Apache-2.0
// A recorded job of two ranks that marks no step: a framework's pattern, step by step, with the trouble of
// real recordings. Times jitter, one rank is slower, records are missing, and the recording begins and ends
// in the midst of a step.
#pragma once
#include "support/framework_patterns.h"
#include "support/trace_builder.h"

#include <cstdint>
#include <random>
#include <vector>

namespace ringside::test {

struct JobTrouble {
    double jitter = 0.2;     ///< standard deviation of the logarithm of host times
    double slowness = 1.1;   ///< of the second rank, ratio
    int missing = 2;         ///< records of calls, on each rank
    double firstShare = 0.5; ///< of the first and last step, which was not recorded
    bool kernels = false;    ///< the device tier saw the optimizer
};

/// What is true of the job, whatever is found.
struct JobTruth {
    std::size_t steps = 0;     ///< recorded from begin to end
    std::size_t stepCalls = 0; ///< of one, on the first rank; launches of graphs count as one
};

struct FrameworkJob {
    TraceBuilder trace{2};
    JobTruth truth;
};

/// The first and the last of `steps` are recorded in part.
[[nodiscard]] FrameworkJob playJob(const FrameworkPattern& pattern, const JobShape& shape,
                                   const JobTrouble& trouble, int steps, std::uint64_t seed);

} // namespace ringside::test
