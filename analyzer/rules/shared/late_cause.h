// SPDX-License-Identifier: Apache-2.0
// Text for what a late rank's own timeline shows, and advice for it.
#pragma once
#include "metrics/lateness.h"

#include <string_view>

namespace ringside::rules {

struct CauseText {
    std::string_view name;
    std::string_view advice;
};

[[nodiscard]] CauseText textOf(metrics::LateCause cause);

} // namespace ringside::rules
