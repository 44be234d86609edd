// SPDX-License-Identifier: Apache-2.0
// Keeps the level (level.h) where the schedule wants it, and writes every change into the ring, from where it
// becomes a row of table `window` whatever happens to the process. Any thread may apply it, without an
// allocation or a system call; a lock is taken only when there is something to change.
#pragma once
#include "record/registry.h"
#include "record/schedule.h"

#include <cstdint>
#include <optional>

namespace ringside::collector {

/// A level ordered by live control, from a step or a moment on.
struct LevelOrder {
    Level level = Level::Light;
    std::uint64_t fromStep = 0; ///< 0: by time
    std::int64_t fromNs = 0;    ///< CLOCK_MONOTONIC
};

/// When recording starts, before any other thread knows of it.
void startLevels(const Plan& plan, std::int64_t startNs, Registry& registry);
[[nodiscard]] const Plan& plan();

/// What holds at this moment, with the reason.
[[nodiscard]] Wanted appliedLevel();

/// Steps before a window by steps at which the device tier makes itself ready.
inline constexpr std::uint64_t kReadyAheadSteps = 3;

/// Whether a window by steps, in which the device is recorded, begins within so many steps.
[[nodiscard]] bool isDeviceWindowAhead();

/// Puts the level where the schedule wants it now. True when this changed it. The thread is inside our code
/// (record/session.h), so that no signal handler comes here a second time.
bool applyLevel();

/// ringside_pause() and ringside_resume(): of the whole process. At once, but for a signal handler that
/// interrupts our own code: then the drain thread does it.
void pauseByProgram(bool pause);

/// Another client has CUPTI, or has it no longer: the device tier measures nothing meanwhile, and the trace
/// says so.
void noteDeviceTaken(bool taken);

// Of the drain thread.

/// Since when collectives or calls come evenly (CLOCK_MONOTONIC); null: they do not.
void noteSteadySince(std::optional<std::int64_t> ns);
[[nodiscard]] std::int64_t startedNs(); ///< as given to startLevels
/// The trace takes no more: nothing brings another level.
void pauseForGood();

/// Takes the place of an order that is not due yet.
void order(const LevelOrder& order);
/// Whether the last order is in force.
[[nodiscard]] bool isOrderInForce();
/// CLOCK_MONOTONIC ns at which time alone changes the level next.
[[nodiscard]] std::optional<std::int64_t> nextLevelChangeNs();

} // namespace ringside::collector
