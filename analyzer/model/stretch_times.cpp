// SPDX-License-Identifier: Apache-2.0
#include "model/stretch_times.h"

#include <algorithm>
#include <limits>

namespace ringside::model {

StretchTimes::StretchTimes(const StepStretch& stretch) : m_cutBefore(!stretch.beginsRun)
{
    constexpr std::int64_t kBefore = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kAfter = std::numeric_limits<std::int64_t>::max();
    for (const std::vector<Step>& steps : stretch.steps) {
        Interval times{kBefore, kAfter};
        const auto startOf = [&](std::int64_t number) {
            const auto step = std::ranges::lower_bound(steps, number, {}, &Step::number);
            return step == steps.end() ? kAfter : step->host.start;
        };
        if (m_cutBefore && !steps.empty()) {
            times.start = startOf(stretch.first);
        }
        if (!stretch.endsRun && !steps.empty()) {
            times.end = startOf(stretch.last + 1);
        }
        m_ofProcess.push_back(times);
    }
}

} // namespace ringside::model
