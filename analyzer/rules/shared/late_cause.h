// SPDX-License-Identifier: Apache-2.0
// Text for what a late rank's own timeline shows, and advice for it.
#pragma once
#include "metrics/lateness.h"
#include "words/text.h"

namespace ringside::rules {

struct CauseText {
    const words::Template& name;
    const words::Template& advice;
};

[[nodiscard]] CauseText textOf(metrics::LateCause cause);

} // namespace ringside::rules
