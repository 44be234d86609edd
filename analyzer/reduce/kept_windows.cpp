// SPDX-License-Identifier: Apache-2.0
#include "reduce/kept_windows.h"

#include <ringside/trace/recording_windows.h>

#include <algorithm>
#include <optional>

namespace ringside::reduce {
namespace {

/// Adds the parts of the windows that lie in a kept time. A window without an end lasts to the end of the
/// process.
void addWithin(std::vector<trace::WindowRow>& to, const std::vector<trace::WindowRow>& windows,
               const model::Interval& time)
{
    for (trace::WindowRow window : windows) {
        window.startNs = std::max(window.startNs, time.start);
        window.endNs = std::min(window.endNs.value_or(time.end), time.end);
        if (window.startNs < *window.endNs) {
            to.push_back(std::move(window));
        }
    }
}

trace::WindowRow pause(std::int64_t startNs, std::optional<std::int64_t> endNs)
{
    return {trace::LevelName("paused"), startNs, endNs, std::string(trace::kNotInSummary)};
}

} // namespace

std::vector<trace::WindowRow> keptWindows(const trace::ProcessTrace& process,
                                          const std::vector<model::Interval>& kept)
{
    std::vector<trace::WindowRow> windows;
    std::int64_t reached = process.process.startNs;
    for (const model::Interval& time : kept) {
        if (reached < time.start) {
            windows.push_back(pause(reached, time.start));
        }
        addWithin(windows, process.windows, time);
        reached = time.end;
    }
    windows.push_back(pause(reached, std::nullopt));
    return windows;
}

} // namespace ringside::reduce
