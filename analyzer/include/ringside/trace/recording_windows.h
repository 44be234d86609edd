// SPDX-License-Identifier: Apache-2.0
// Which parts of a run are recorded in more detail, as requested on the command line of `ringside record` or
// in the environment. Both use this parser, so that the collector accepts what the command line accepts.
#pragma once
#include <ringside/trace/quantity.h>

#include <string>
#include <string_view>

namespace ringside::trace {

/// Prefix of `why` in table window for a window over the first steps of a program. These steps are slower
/// than later ones, because caches fill and libraries choose their algorithms.
inline constexpr std::string_view kWarmUp = "warm-up";

/// Prefix of `why` for a time in which another CUPTI client used the device. What ran on the device then is
/// not recorded.
inline constexpr std::string_view kHandedOver = "another tool uses CUPTI";

/// `why` for a time whose rows a summary does not contain (`ringside reduce`). They were recorded.
inline constexpr std::string_view kNotInSummary = "left out of the summary";

struct RecordingWindows {
    std::int64_t firstStep = 0; ///< 0 if there is no window by steps
    std::int64_t steps = 0;     ///< 0 if the window extends to the end
    /// 0 if there is no window by time; otherwise on for onNs, then off for offNs, repeatedly
    std::int64_t onNs = 0;
    std::int64_t offNs = 0;

    [[nodiscard]] bool none() const { return firstStep == 0 && onNs == 0; }
};

/// Empty texts mean that the option was not given.
struct WindowTexts {
    std::string_view startStep; ///< --start-step, RINGSIDE_START_STEP
    std::string_view steps;     ///< --steps, RINGSIDE_STEPS
    std::string_view window;    ///< --window, RINGSIDE_WINDOW
};

struct ParsedWindows {
    RecordingWindows windows;
    std::string error; ///< what is wrong with the texts; there are no windows then
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
