// SPDX-License-Identifier: Apache-2.0
// A run between hosts, for tests of what they send each other.
#pragma once
#include "support/trace_builder.h"

#include <string>

namespace ringside::test {

/// A ring of four hosts, a rank each.
inline TraceBuilder ring()
{
    TraceBuilder trace(4);
    for (int rank = 0; rank < 4; ++rank) {
        trace.host(rank, std::string(1, static_cast<char>('a' + rank)));
    }
    trace.steps(12, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.allReduce(4_MiB, {.takes = 20ms});
    });
    return trace;
}

} // namespace ringside::test
