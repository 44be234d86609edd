// SPDX-License-Identifier: Apache-2.0
// The gate that each hook reads first: whether there is a recording, and how much is recorded now. It is
// one word a process, so that a hook reads it once. The level follows record/schedule.h. The thread that
// changes the situation (the drain thread's pass, a step that begins, a pause) applies the new level at
// once, without a lock.
#pragma once
#include <atomic>
#include <cstdint>

namespace ringside::collector {

/// In the order of trace::kLevels (trace/vocabulary/level.h), which says what each records.
enum class Level : int {
    Paused,
    Light,
    Standard,
    Deep,
};

class Gate final {
public:
    /// An event may be recorded, or may start the recording.
    [[nodiscard]] bool isOpen() const { return (word() & (kOver | kPaused)) == 0; }
    /// Recording has ended, has failed or is switched off in this process. It does not start (again).
    [[nodiscard]] bool isOver() const { return (word() & kOver) != 0; }
    /// Recording has begun and is not over. Everything that was written before begin() is visible.
    [[nodiscard]] bool isRecording() const
    {
        return (m_word.load(std::memory_order_acquire) & (kOver | kBegun)) == kBegun;
    }
    [[nodiscard]] bool isPaused() const { return (word() & kPaused) != 0; }
    [[nodiscard]] Level level() const { return static_cast<Level>(word() >> kLevelShift); }

    void begin() { m_word.fetch_or(kBegun, std::memory_order_release); }
    /// Returns true if this call ended a recording.
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
// Declared hidden here too: else each access would go through the global offset table.
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
