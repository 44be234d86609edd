// SPDX-License-Identifier: Apache-2.0
// Runs that rules of several families are shown.
#pragma once
#include "training_run.h"

#include <cstdint>
#include <functional>
#include <utility>

namespace ringside::test {

/// Compute-bound, overlapping, nobody late: no rule has anything to say.
inline TrainingRun healthy()
{
    return {};
}

inline TrainingRun slowNetwork()
{
    TrainingRun run;
    run.bytesPerNs = 1;
    return run;
}

inline TrainingRun lateRank(std::int64_t ns)
{
    TrainingRun run;
    run.lateRank = 2;
    run.lateNs = ns;
    return run;
}

inline TrainingRun edited(std::function<void(TraceBuilder&)> edit)
{
    TrainingRun run;
    run.edit = std::move(edit);
    return run;
}

inline void withoutEdit(TrainingRun& run)
{
    run.edit = {};
}

} // namespace ringside::test
