// SPDX-License-Identifier: Apache-2.0
// The body of every wrapper. It returns exactly what the real function returned, never throws, logs or locks,
// and records only what the program itself called: what NCCL and CUDA call from inside a call passes straight
// through.
#pragma once
#include "api/functions.h"
#include "device/event_timing.h"
#include "intercept/resolve.h"
#include "intercept/what.h"
#include "record/level.h"
#include "record/session.h"

#include <type_traits>

namespace ringside::collector {

/// The calling thread's current device, -1 when the runtime is not there or says no.
int currentDevice();
/// The device of a stream, the current one where the runtime cannot say.
int deviceOf(cudaStream_t stream);
/// Remembers, once a thread, which device the thread uses.
void noteDevice(ThreadState& thread);

/// Whether a call of this kind is looked at even while recording is paused: it defines something, or gives a
/// number that later records need.
template <class What>
inline constexpr bool kSeenWhilePaused = !std::is_same_v<What, Plain> && !std::is_same_v<What, Sized>;
template <class What>
bool isUnseen()
{
    return passesThrough() || (!kSeenWhilePaused<What> && isPaused());
}

struct CallTimes {
    std::uint64_t start;
    std::uint64_t end;
    std::int32_t result;
    bool wanted; ///< recording was not paused when it began
};

inline void fillCall(trace::CallRecord& record, Api api, const CallTimes& times)
{
    record.startTicks = times.start;
    record.endTicks = times.end;
    record.api = stringIdOf(api);
    record.result = times.result;
}
inline void writeCall(ThreadState& thread, Api api, const CallTimes& times)
{
    if (!times.wanted) {
        return;
    }
    Ring& ring = *thread.ring;
    if (auto* record = ring.reserve<trace::CallRecord>(); record != nullptr) {
        fillCall(*record, api, times);
        ring.commit(record, trace::RecordKind::Call);
    }
}
/// The number of the stream a call went to. `device()` is asked when the stream is new, and for CUDA's own
/// handles: such a one is another stream on every device, and cudaStreamPerThread in every thread.
template <class Device>
std::uint32_t streamId(const ThreadState& thread, cudaStream_t stream, Device&& device)
{
    constexpr std::uint64_t kLegacy = 1;
    constexpr std::uint64_t kPerThread = 2;
    const auto handle = reinterpret_cast<std::uint64_t>(stream);
    if (handle != kLegacy && handle != kPerThread) [[likely]] {
        return registry().streamId(handle, device);
    }
    const int owner = device();
    const std::uint64_t user = handle == kPerThread ? thread.threadId : 0;
    // An address that no object has: they are aligned.
    const std::uint64_t key = user << 16 | static_cast<std::uint64_t>(owner + 1) << 8 | handle;
    return registry().streamId(key, [owner] { return owner; });
}
inline void writeMemory(ThreadState& thread, Api api, const CallTimes& times, const Sized& what)
{
    if (!times.wanted) {
        return;
    }
    const std::uint32_t stream = streamId(thread, what.stream, [&what] { return deviceOf(what.stream); });
    if (auto* record = thread.ring->reserve<trace::MemoryRecord>(); record != nullptr) {
        fillCall(record->call, api, times);
        record->bytes = what.bytes;
        record->stream = stream;
        record->copyKind = what.copyKind;
        thread.ring->commit(record, trace::RecordKind::Memory);
    }
}

/// Times the real call between entering and leaving the in-flight slot, writes the record with
/// `write(times)`.
template <class Call, class Write>
auto timedCall(ThreadState& thread, Api api, Call& call, Write&& write)
{
    trace::InFlight& slot = thread.inFlight();
    CallTimes times{ticks(), 0, 0, !isPaused()};
    enterCall(slot, stringIdOf(api), times.start);
    const auto result = call();
    times.end = ticks();
    times.result = static_cast<std::int32_t>(result);
    write(times);
    leaveCall(slot);
    return result;
}

template <class Call>
auto record(ThreadState& thread, Api api, const Plain&, Call& call)
{
    return timedCall(thread, api, call, [&](const CallTimes& times) { writeCall(thread, api, times); });
}

template <class Call>
auto record(ThreadState& thread, Api api, const Sized& what, Call& call)
{
    return timedCall(thread, api, call,
                     [&](const CallTimes& times) { writeMemory(thread, api, times, what); });
}

template <class Call>
auto record(ThreadState& thread, Api api, const Allocation& what, Call& call)
{
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        if (times.result == cudaSuccess && !thread.deviceNoted) {
            noteDevice(thread);
        }
        writeMemory(thread, api, times, Sized{.bytes = what.bytes});
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const EndOfStream& what, Call& call)
{
    // Before the real call: afterwards another thread may already have got the same handle.
    registry().forgetStream(reinterpret_cast<std::uint64_t>(what.stream));
    return record(thread, api, Plain{}, call);
}

template <class Call>
auto record(ThreadState& thread, Api api, const DeviceReset&, Call& call)
{
    forgetEvents();
    return record(thread, api, Plain{}, call);
}

template <class What, class Call>
auto intercept(Api api, const What& what, Call&& call)
{
    if (isUnseen<What>()) {
        return call();
    }
    const Inside inside;
    ThreadState* thread = recordingThread();
    if (thread == nullptr) [[unlikely]] {
        return call();
    }
    return record(*thread, api, what, call);
}

} // namespace ringside::collector

#define RINGSIDE_UNWRAP(...) __VA_ARGS__

/// Makes the wrapper of one row; used as RS_API with the library and the answer when no library has the
/// function. In two parts, so that a call that is not recorded saves no register and makes no frame.
#define RINGSIDE_WRAPPER(library, unavailable, result, name, parameters, arguments, what)                    \
    namespace ringside::collector {                                                                          \
    static constinit Real<result parameters> g_real_##name(Library::library, #name);                         \
    auto what_##name parameters->std::remove_cvref_t<decltype(RINGSIDE_UNWRAP what)>; /* its type only */    \
    static __attribute__((noinline)) result recorded_##name parameters                                       \
    {                                                                                                        \
        auto* const function = g_real_##name.get();                                                          \
        if (function == nullptr) {                                                                           \
            g_real_##name.sayMissingOnce();                                                                  \
            return unavailable;                                                                              \
        }                                                                                                    \
        return intercept(Api::name, RINGSIDE_UNWRAP what, [&] { return function arguments; });               \
    }                                                                                                        \
    }                                                                                                        \
    extern "C" __attribute__((visibility("default"))) result name parameters                                 \
    {                                                                                                        \
        auto* const function = ringside::collector::g_real_##name.known();                                   \
        using What = decltype(ringside::collector::what_##name arguments);                                   \
        if (function != nullptr && ringside::collector::isUnseen<What>()) {                                  \
            return function arguments;                                                                       \
        }                                                                                                    \
        return ringside::collector::recorded_##name arguments;                                               \
    }
