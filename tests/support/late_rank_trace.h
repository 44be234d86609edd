// SPDX-License-Identifier: Apache-2.0
// A job in which one rank is late for the reason that its timeline shows.
#pragma once
#include "support/trace_builder.h"

namespace ringside::test {

/// Rank 1 computes for 16 ms, the others for 10 ms; an all-reduce ends each step. Marks steps.
inline TraceBuilder lateRankTrace(int ranks, int steps)
{
    TraceBuilder trace(ranks);
    trace.steps(steps, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(6ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace;
}

} // namespace ringside::test
