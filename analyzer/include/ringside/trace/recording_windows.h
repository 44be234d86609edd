// SPDX-License-Identifier: Apache-2.0
// Which stretches of a run are recorded more than the rest, as `ringside record` and the environment say it.
// One reader of these texts, so that what the program accepts is what the collector does.
#pragma once
#include <ringside/trace/quantity.h>

#include <string>
#include <string_view>

namespace ringside::trace {

/// How `why` of a row of table window begins where a program's first steps are recorded. They are slower than
/// those that follow: caches fill, libraries choose their algorithms.
inline constexpr std::string_view kWarmUp = "warm-up";

/// How `why` begins where another client of CUPTI had the device: what ran there meanwhile is not recorded.
inline constexpr std::string_view kHandedOver = "another tool uses CUPTI";

struct RecordingWindows {
    std::int64_t firstStep = 0; ///< 0: no window by steps
    std::int64_t steps = 0;     ///< 0: from firstStep to the end
    std::int64_t onNs = 0;      ///< 0: no window by time; else on for onNs, then off for offNs, and so on
    std::int64_t offNs = 0;

    [[nodiscard]] bool none() const { return firstStep == 0 && onNs == 0; }
};

/// Empty texts: not given.
struct WindowTexts {
    std::string_view startStep; ///< --start-step, RINGSIDE_START_STEP
    std::string_view steps;     ///< --steps, RINGSIDE_STEPS
    std::string_view window;    ///< --window, RINGSIDE_WINDOW
};

struct ParsedWindows {
    RecordingWindows windows;
    std::string error; ///< what is wrong; then there are no windows
};

inline ParsedWindows parseWindows(const WindowTexts& texts)
{
    constexpr std::array kPlain{Unit{"", 1}};
    constexpr std::int64_t kShortestNs = 10'000'000; // switching itself takes milliseconds
    constexpr std::int64_t kLongestNs = 3'600'000'000'000'000;
    const auto isFitting = [](std::optional<std::int64_t> ns) {
        return ns && *ns >= kShortestNs && *ns <= kLongestNs;
    };
    const bool bySteps = !texts.startStep.empty() || !texts.steps.empty();
    if (bySteps && !texts.window.empty()) {
        return {{}, "a window by steps and one by time contradict each other: give one of them"};
    }
    RecordingWindows windows;
    if (bySteps) {
        const auto first = texts.startStep.empty() ? 1 : parseQuantity(texts.startStep, kPlain);
        const auto steps = texts.steps.empty() ? 0 : parseQuantity(texts.steps, kPlain);
        if (!first || !steps) {
            return {{}, "the first step and the number of steps must be whole numbers from 1 on"};
        }
        windows.firstStep = *first;
        windows.steps = *steps;
    } else if (!texts.window.empty()) {
        const std::size_t slash = texts.window.find('/');
        const auto on = parseDuration(texts.window.substr(0, slash));
        const auto off = parseDuration(slash == std::string_view::npos ? "" : texts.window.substr(slash + 1));
        if (!isFitting(on) || !isFitting(off)) {
            return {{},
                    "the window \"" + std::string(texts.window) +
                        "\" is not ON/OFF with two durations from 10ms to 1000h, such as 2s/60s"};
        }
        windows.onNs = *on;
        windows.offNs = *off;
    }
    return {windows, {}};
}

} // namespace ringside::trace
