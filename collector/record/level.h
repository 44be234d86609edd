// SPDX-License-Identifier: Apache-2.0
// What each hook asks before it does anything: whether there is a recording, and how much it takes in at this
// moment. One word a process, so that a hook looks once. The level follows record/schedule.h: whatever
// changes the moment (the drain thread's pass, a step that begins, a pause) applies it at once, on its own
// thread, without a lock.
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

class Gate final {
public:
    /// What only tells of itself is recorded, or begins the recording.
    [[nodiscard]] bool isOpen() const { return (word() & (kOver | kPaused)) == 0; }
    /// Recording has ended, failed or is not wanted here: it never begins (again).
    [[nodiscard]] bool isOver() const { return (word() & kOver) != 0; }
    /// Recording has begun and is not over: what begin()'s caller made before is there.
    [[nodiscard]] bool isRecording() const
    {
        return (m_word.load(std::memory_order_acquire) & (kOver | kBegun)) == kBegun;
    }
    [[nodiscard]] bool isPaused() const { return (word() & kPaused) != 0; }
    [[nodiscard]] Level level() const { return static_cast<Level>(word() >> kLevelShift); }

    void begin() { m_word.fetch_or(kBegun, std::memory_order_release); }
    /// True when there was a recording and this ended it.
    bool end() { return (m_word.fetch_or(kOver) & (kOver | kBegun)) == kBegun; }
    void setLevel(Level level)
    {
        std::uint32_t now = word();
        while (!m_word.compare_exchange_weak(now, (now & (kOver | kBegun)) | bitsOf(level))) {
        }
    }

private:
    static constexpr std::uint32_t kOver = 1;
    static constexpr std::uint32_t kBegun = 2;
    static constexpr std::uint32_t kPaused = 4; ///< of the level, so that one test sees it
    static constexpr std::uint32_t kLevelShift = 8;

    static constexpr std::uint32_t bitsOf(Level level)
    {
        return static_cast<std::uint32_t>(level) << kLevelShift | (level == Level::Paused ? kPaused : 0U);
    }
    [[nodiscard]] std::uint32_t word() const { return m_word.load(std::memory_order_relaxed); }

    std::atomic<std::uint32_t> m_word{bitsOf(Level::Light)};
};
// Said to be hidden also here: else each look would go through the table of what others may stand in front
// of.
extern constinit Gate g_gate __attribute__((visibility("hidden")));

inline Level level()
{
    return g_gate.level();
}
inline bool isPaused()
{
    return g_gate.isPaused();
}

} // namespace ringside::collector
