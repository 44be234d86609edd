// SPDX-License-Identifier: Apache-2.0
// How much is to be recorded at a moment of the run, and why: a function of the profile, the windows, and
// what has happened so far. Plain values, no clock and no state of its own, so that it is tested without a
// run; record/level.h applies it.
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

/// What auto measures more than light: the beginning, so that short runs have device work, too, which is said
/// to be warm-up. Where no step is marked, that lasts until a steady period is seen (steady_period.h), for so
/// long at most; whenever that is seen, it opens its window, be it after minutes of loading and compiling.
/// Steps that come later open the window that they are due all the same.
struct AutoWindow {
    static constexpr std::uint64_t kWarmUpSteps = 9;
    static constexpr std::uint64_t kLastStep = 60;
    static constexpr std::int64_t kWarmUpNs = 70'000'000'000; ///< where no step is marked
    static constexpr std::int64_t kSteadyNs = SteadyPeriod::kMeasuredNs;
};

/// Fixed when recording starts. Windows apply to what the profile adds to light: inside them its level (auto
/// counts as standard), outside light. The profile light adds nothing: with windows it records inside them
/// alone.
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

/// When time alone next changes what is wanted, in ns since the start; nothing: it never does again.
[[nodiscard]] std::optional<std::int64_t> nextTimedChange(const Plan& plan, const Moment& moment);

/// As they stand in the trace and are given to live control: paused, light, standard, deep.
[[nodiscard]] const char* nameOf(Level level);
[[nodiscard]] std::optional<Level> levelNamed(std::string_view name);

/// Why a level holds, for a row of the trace (trace::WindowRecord has room for it); empty: it is what the
/// profile always does.
[[nodiscard]] std::string inWords(const Plan& plan, Reason reason);
/// When the device tier is to measure, for a run that did not get there.
[[nodiscard]] std::string whenDevice(const Plan& plan);

} // namespace ringside::collector
