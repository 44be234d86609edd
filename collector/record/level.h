// SPDX-License-Identifier: Apache-2.0
// How much is recorded at this moment. One value a process, read on the hot path and by every tier. It
// follows record/schedule.h: whatever changes the moment (the drain thread's pass, a step that begins, a
// pause) applies it at once, on its own thread, without a lock.
#pragma once
#include <atomic>
#include <cstdint>

namespace ringside::collector {

/// Each holds what the one before it holds.
enum class Level : int {
    Paused,   ///< definitions and the numbering of collectives, which later records need; nothing else
    Light,    ///< host calls, NVTX, NCCL's host events, samples
    Standard, ///< and what runs on the GPU (device tier)
    Deep,     ///< and NCCL's channel times and proxy steps
};

extern std::atomic<Level> g_level;

inline Level level()
{
    return g_level.load(std::memory_order_relaxed);
}
inline bool isPaused()
{
    return level() == Level::Paused;
}

} // namespace ringside::collector
