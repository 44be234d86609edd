// SPDX-License-Identifier: Apache-2.0
// The jobs that come to a halt, a row each: what the ranks call, the kind, and the ranks that the others wait
// for.
#pragma once
#include "hang/hang.h"
#include "stuck_job.h"

#include <functional>
#include <vector>

namespace ringside::test {

using hang::Kind;
using Ranks = StuckJob::Ranks;
using Build = std::function<StuckJob()>;

struct Case {
    const char* name;
    Build build;
    Kind kind;
    Ranks origin;        ///< those that the verdict names
    bool circle = false; ///< they wait for each other
};

/// Collectives that are missing, differ, or come in another order.
[[nodiscard]] std::vector<Case> collectiveCases();
/// Sends, receives, groups of them, and pipelines.
[[nodiscard]] std::vector<Case> messageCases();

} // namespace ringside::test
