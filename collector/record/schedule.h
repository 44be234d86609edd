// SPDX-License-Identifier: Apache-2.0
// Computes how much is recorded at a moment of the run, and why, from the profile, the windows and what
// has happened so far. It has no clock and no state, so that it can be tested without a run.
// record/levels.h applies the result.
#pragma once
#include "record/level.h"
#include "record/steady_period.h"

#include <ringside/trace/recording_windows.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::collector {

enum class Profile {
    Auto,     ///< light, and the device tier for the first 60 steps
    Light,    ///< no device tier
    Standard, ///< the device tier all the time
    Deep,     ///< and NCCL's channel times and proxy steps
    Off,
};

/// When the profile auto records the device too. It records the beginning, as warm-up, so that short
/// runs have device work. If no step is marked, this lasts until a steady period is seen
/// (steady_period.h), but not longer than kWarmUpNs. A steady period opens its window whenever it comes,
/// even after minutes of loading and compiling. Steps that are marked later still open the window by
/// steps.
struct AutoWindow {
    static constexpr std::uint64_t kWarmUpSteps = 9;
    static constexpr std::uint64_t kLastStep = 60;
    static constexpr std::int64_t kWarmUpNs = 70'000'000'000; ///< where no step is marked
    static constexpr std::int64_t kSteadyNs = SteadyPeriod::kMeasuredNs;
};

/// Fixed when recording starts. Inside windows the profile's level holds (auto counts as standard),
/// outside it is light. With the profile light, recording is paused outside the windows.
struct Plan {
    Profile profile = Profile::Auto;
    trace::RecordingWindows windows;

    [[nodiscard]] Level fullLevel() const;
    [[nodiscard]] Level restLevel() const;
};

struct Moment {
    std::uint64_t steps = 0;       ///< begun so far; 0: none was marked yet
    std::int64_t sinceStartNs = 0; ///< since recording started
    std::optional<Level> ordered;  ///< by live control; stands above profile and windows
    bool pausedByProgram = false;  ///< ringside_pause() without a ringside_resume() since
    bool full = false;             ///< the trace has reached its size limit
    std::optional<std::int64_t> steadySinceNs =
        std::nullopt;         ///< as sinceStartNs: a steady period was seen then
    bool deviceTaken = false; ///< another client has CUPTI
};

enum class Reason : std::uint8_t {
    Profile,
    AutoWarmUp,
    AutoBySteps,
    AutoBySteadyPeriod,
    InsideWindow,
    OutsideWindow,
    Control,
    Program,
    DeviceTaken,
    Full,
};
inline constexpr std::size_t kReasons = static_cast<std::size_t>(Reason::Full) + 1;

struct Wanted {
    Level level = Level::Light;
    Reason reason = Reason::Profile;
    bool operator==(const Wanted&) const = default;
};

[[nodiscard]] Wanted wantedAt(const Plan& plan, const Moment& moment);

/// The next time, in ns since the start, at which the wanted level changes without any other event.
/// Null: never again.
[[nodiscard]] std::optional<std::int64_t> nextTimedChange(const Plan& plan, const Moment& moment);

/// The names in the trace and in live control: paused, light, standard, deep.
[[nodiscard]] const char* nameOf(Level level);
[[nodiscard]] std::optional<Level> levelNamed(std::string_view name);

/// The reason of a level, for the trace (it fits into trace::WindowRecord). Empty: the profile's usual
/// level.
[[nodiscard]] std::string inWords(const Plan& plan, Reason reason);
/// Describes when the device tier would have measured, for a run that ended before.
[[nodiscard]] std::string whenDevice(const Plan& plan);

} // namespace ringside::collector
