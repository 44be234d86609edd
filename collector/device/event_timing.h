// SPDX-License-Identifier: Apache-2.0
// Timing by CUDA events, the part on the program's threads: records an event before and after an NCCL
// call on its stream. The collector takes no lock, allocates nothing and does not wait, and the
// program's last CUDA error is kept. Without the option it only reads a flag. device/event_session.h
// reads the times of the events.
#pragma once
#include "device/event_library.h"
#include "device/event_pool.h"
#include "record/level.h"
#include "record/session.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace ringside::collector {

/// Reasons why a call has no event times.
enum class EventSkip : std::uint8_t {
    NoFreePair,
    NotMadeYet,
    Capture,
    LegacyStream,
    OtherDevice,
    PendingError,
    NotLaunched,
    TooManyStreams,
    NotEnded, ///< when the process ended or the device was reset
    kCount
};

/// State that the hooks and the reading thread share. One a process; pools are never freed.
struct EventTiming {
    static constexpr std::size_t kMostDevices = 64;

    std::atomic<bool> on{false};
    EventLibrary cuda; ///< set before it is first on
    std::array<std::atomic<EventPool*>, kMostDevices> pools{};
    std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(EventSkip::kCount)> skipped{};
    /// The first CUDA error and the function that returned it. No events are recorded after it.
    std::atomic<const char*> failedIn{nullptr};
    std::atomic<int> error{0};

    /// Held while events are queried. Code that destroys them takes it once after setting `gone`.
    pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
    std::atomic<bool> gone{false}; ///< the events do not exist any more: cudaDeviceReset()

    void skip(EventSkip why, std::uint64_t calls = 1)
    {
        skipped[static_cast<std::size_t>(why)].fetch_add(calls, std::memory_order_relaxed);
    }
    void fail(const char* function, int result)
    {
        on.store(false, std::memory_order_release);
        const char* none = nullptr;
        error.store(result, std::memory_order_relaxed);
        failedIn.compare_exchange_strong(none, function, std::memory_order_release);
    }
};
extern constinit EventTiming g_eventTiming;

/// Whether the calling thread's next call shall be timed.
inline bool wantsEventTimes()
{
    return g_eventTiming.on.load(std::memory_order_acquire) && level() >= Level::Standard;
}

/// Records the first event of a call on one of its streams. Null: the call is not timed, which is
/// counted. `device`: of the communicator. If the result is not null, endEventTime() must follow.
EventPair* beginEventTime(const ThreadState& thread, std::uint64_t call, cudaStream_t stream, int device);
/// `launched`: whether the real call has put its work into the stream.
void endEventTime(EventPair* pair, cudaStream_t stream, bool launched);

/// Call it before a device is reset, which destroys its events: none is used after it. May wait for the
/// reading thread, at most a second.
void forgetEvents();

/// For a call in a group: its stream is timed when the end of the group launches the work.
void noteStreamOfGroup(ThreadState& thread, cudaStream_t stream, int device);

/// The pairs of events of a group, from the start of its last ncclGroupEnd on.
class GroupEventTimes final {
public:
    explicit GroupEventTimes(ThreadState& thread);
    void end(bool launched);

private:
    std::array<EventPair*, GroupStreams::kMost> m_pairs{};
    const GroupStreams& m_streams;
};

} // namespace ringside::collector
