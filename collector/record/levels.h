// SPDX-License-Identifier: Apache-2.0
// Keeps the level (level.h) as the schedule wants it. Every change is written into the ring, so that it
// becomes a row of table `window` even if the process is killed. Any thread may apply it, without
// allocation or system call; a lock is taken only to change something.
#pragma once
#include "record/registry.h"
#include "record/schedule.h"

#include <cstdint>
#include <optional>

namespace ringside::collector {

/// A level that live control ordered, from a step or a time on.
struct LevelOrder {
    Level level = Level::Light;
    std::uint64_t fromStep = 0; ///< 0: by time
    std::int64_t fromNs = 0;    ///< CLOCK_MONOTONIC
};

/// Call it when recording starts, before any other thread can see the recording.
void startLevels(const Plan& plan, std::int64_t startNs, Registry& registry);
[[nodiscard]] const Plan& plan();

/// The present level, with the reason.
[[nodiscard]] Wanted appliedLevel();

/// The device tier gets ready this many steps before a window by steps.
inline constexpr std::uint64_t kReadyAheadSteps = 3;

/// Whether a window by steps that records the device begins within this many steps.
[[nodiscard]] bool isDeviceWindowAhead();

/// Sets the level that the schedule wants now. Returns true if it changed. The caller is marked as
/// Inside (record/thread_state.h), so that no signal handler enters here a second time.
bool applyLevel();

/// Implements ringside_pause() and ringside_resume() for the whole process. Takes effect at once, except
/// in a signal handler that interrupted the collector's code: then the drain thread applies it.
void pauseByProgram(bool pause);

/// Call it when another client takes CUPTI and when it has released it. In between the device tier
/// measures nothing, and the trace says so.
void noteDeviceTaken(bool taken);

// Only the drain thread may call the following.

/// Since when collectives or calls have come evenly (CLOCK_MONOTONIC). Null: they do not.
void noteSteadySince(std::optional<std::int64_t> ns);
[[nodiscard]] std::int64_t startedNs(); ///< as given to startLevels
/// The trace is full: the level does not change any more.
void pauseForGood();

/// Replaces an order that is not due yet.
void order(const LevelOrder& order);
/// Whether the last order is in force.
[[nodiscard]] bool isOrderInForce();
/// The next time (CLOCK_MONOTONIC, ns) at which the level changes without any other event.
[[nodiscard]] std::optional<std::int64_t> nextLevelChangeNs();

} // namespace ringside::collector
