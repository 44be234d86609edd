// SPDX-License-Identifier: Apache-2.0
#include "model/pauses.h"

namespace ringside::model {

std::vector<Interval> pausesOf(const trace::ProcessTrace& process)
{
    std::vector<Interval> all;
    for (const trace::WindowRow& window : process.windows) {
        if (window.level == "paused") {
            const auto end = window.endNs ? window.endNs : process.process.endNs;
            all.push_back({window.startNs, end.value_or(std::numeric_limits<std::int64_t>::max())});
        }
    }
    std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    std::vector<Interval> result;
    for (const Interval& pause : all) {
        if (!result.empty() && pause.start <= result.back().end) {
            result.back().end = std::max(result.back().end, pause.end);
        } else {
            result.push_back(pause);
        }
    }
    return result;
}

const Interval* firstPauseAfter(const std::vector<Interval>& pauses, std::int64_t time)
{
    const auto found = std::upper_bound(pauses.begin(), pauses.end(), time,
                                        [](std::int64_t t, const Interval& pause) { return t < pause.end; });
    return found != pauses.end() ? &*found : nullptr;
}

bool isRecordedWhole(const std::vector<Interval>& pauses, const Interval& stretch)
{
    constexpr std::int64_t kShare = 100;
    std::int64_t paused = 0;
    for (const Interval* pause = firstPauseAfter(pauses, stretch.start);
         pause != nullptr && pause != pauses.data() + pauses.size() && pause->start < stretch.end; ++pause) {
        paused += overlapLength(*pause, stretch);
    }
    return paused <= stretch.length() / kShare;
}

} // namespace ringside::model
