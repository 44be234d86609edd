// SPDX-License-Identifier: Apache-2.0
// Keeps the level (level.h) where the schedule wants it, and remembers every change until the drain thread
// has written it down. Any thread may apply it; nothing here blocks, allocates or makes a system call, but
// what is said to be of the drain thread.
#pragma once
#include "record/schedule.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::collector {

struct LevelChange {
    std::int64_t atNs = 0; ///< CLOCK_MONOTONIC
    Wanted now;
    std::uint64_t steps = 0; ///< begun when it was applied
};

/// The last changes: written by any thread, read by one. What is overwritten before it was read is lost.
class LevelChanges final {
public:
    void add(const LevelChange& change);
    /// Those since the last call, by time.
    [[nodiscard]] std::vector<LevelChange> take();

private:
    struct Entry {
        std::atomic<std::uint64_t> number{0}; ///< 1 upwards; 0: being written, or never was
        std::atomic<std::int64_t> atNs{0};
        std::atomic<std::uint64_t> steps{0};
        std::atomic<std::uint32_t> now{0}; ///< level and reason
    };
    static constexpr std::uint64_t kEntries = 64;
    std::array<Entry, kEntries> m_entries{};
    std::atomic<std::uint64_t> m_next{0};
    std::uint64_t m_read = 0;
};

/// A level ordered by live control, from a step or a moment on.
struct LevelOrder {
    Level level = Level::Light;
    std::uint64_t fromStep = 0; ///< 0: by time
    std::int64_t fromNs = 0;    ///< CLOCK_MONOTONIC
};

/// When recording starts, before any other thread knows of it.
void startLevels(const Plan& plan, std::int64_t startNs);
[[nodiscard]] const Plan& plan();

/// What holds at this moment, with the reason.
[[nodiscard]] Wanted appliedLevel();

/// Puts the level where the schedule wants it now. True when this changed it.
bool applyLevel();

/// ringside_pause() and ringside_resume(): of the whole process, at once.
void pauseByProgram(bool pause);

// Of the drain thread.

[[nodiscard]] std::int64_t startedNs(); ///< as given to startLevels
/// The trace takes no more: nothing brings another level.
void pauseForGood();

/// Takes the place of an order that is not due yet.
void order(const LevelOrder& order);
/// Whether the last order is in force.
[[nodiscard]] bool isOrderInForce();
/// CLOCK_MONOTONIC ns at which time alone changes the level next.
[[nodiscard]] std::optional<std::int64_t> nextLevelChangeNs();
[[nodiscard]] std::vector<LevelChange> takeLevelChanges();

} // namespace ringside::collector
