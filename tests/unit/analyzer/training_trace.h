// SPDX-License-Identifier: Apache-2.0
// The training whose steps tests look for.
#pragma once
#include "support/trace_builder.h"

namespace ringside::model {

using namespace test;

inline constexpr int kSteps = 12;

inline TraceBuilder training()
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync().steps(kSteps, [](StepBuilder& step) {
        step.everyRank().hostIdle(1ms).compute(4ms);
        step.allReduce(1_MiB, {.takes = 500us});
        step.everyRank().compute(2ms);
        step.allReduce(2_MiB, {.takes = 500us});
    });
    return trace;
}

} // namespace ringside::model
