// SPDX-License-Identifier: Apache-2.0
// Runs whose replay can be computed by hand, and the changes to replay.
#pragma once
#include "golden/training_run.h"
#include "model/build_model.h"
#include "support/trace_builder.h"
#include "whatif/whatif.h"

#include <cmath>

namespace ringside::whatif::fixture {

using namespace test;

inline constexpr double kMs = 1e6;

inline Prediction ask(const trace::RunTrace& run, const Changes& changes = {})
{
    const model::Model model = model::buildModel(run);
    return WhatIf(model).predict(changes);
}

/// Every rank computes 10 ms, rank 2 so much more; then all reduce, 1 ms.
inline trace::RunTrace lateRun(nanoseconds late, int steps = 24)
{
    TraceBuilder trace(4);
    trace.withoutStepEndSync();
    trace.steps(steps, [&](StepBuilder& step) {
        step.everyRank().compute(10ms);
        if (late > 0ns) {
            step.rank(2).compute(late);
        }
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace.run();
}

/// Nothing hides communication: 4 MiB and 8 MiB at 10 bytes/ns and 30 us each, then an optimizer of 0.5 ms.
inline TrainingRun exposedRun()
{
    TrainingRun run;
    run.overlap = false;
    run.jitterNs = 0;
    return run;
}
inline constexpr double kExposedBytesNs = 12.0 * 1048576.0 / 10;

inline double saving(const TrainingRun& run, const Changes& changes)
{
    return ask(simulate(run), changes).savingNs().value_or(std::nan(""));
}

} // namespace ringside::whatif::fixture
