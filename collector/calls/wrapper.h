// SPDX-License-Identifier: Apache-2.0
// The body of every wrapper. It returns exactly what the real function returned, never throws, logs or locks,
// and records only what the program itself called: what NCCL and CUDA call from inside a call passes straight
// through.
#pragma once
#include "api/functions.h"
#include "calls/call_records.h"
#include "calls/what.h"
#include "device/event_timing.h"
#include "record/level.h"
#include "record/session.h"
#include "resolve/resolve.h"

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
inline constexpr bool kSeenWhilePaused =
    !std::is_same_v<What, Plain> && !std::is_same_v<What, OnStream> && !std::is_same_v<What, Sized>;
template <class What>
[[gnu::always_inline]] inline bool isUnseen()
{
    return t_thread.depth != 0 || (kSeenWhilePaused<What> ? g_gate.isOver() : !g_gate.isOpen());
}

/// Of a stream that is not known by its handle: a new one, or one of CUDA's own handles, which are another
/// stream on every device, and cudaStreamPerThread in every thread.
[[gnu::cold]] inline std::uint32_t unknownStreamId(const ThreadState& thread, std::uint64_t handle,
                                                   int device)
{
    if (handle != kLegacyStream && handle != kStreamPerThread) {
        return registry().addStream(handle, device);
    }
    const std::uint64_t user = handle == kStreamPerThread ? thread.threadId : 0;
    // An address that no object has: they are aligned.
    const std::uint64_t key = user << 16 | static_cast<std::uint64_t>(device + 1) << 8 | handle;
    const std::uint32_t known = registry().streamId(key);
    return known != 0 ? known : registry().addStream(key, device);
}

/// The number of the stream a call went to, 0: the null stream, or no room for another one. `device()` is
/// asked when it is new, and always for CUDA's own handles.
template <class Device>
[[gnu::always_inline]] inline std::uint32_t streamId(const ThreadState& thread, cudaStream_t stream,
                                                     Device device)
{
    const auto handle = reinterpret_cast<std::uint64_t>(stream);
    if (handle == 0) {
        return 0;
    }
    const std::uint32_t known = registry().streamId(handle);
    return known != 0 ? known : unknownStreamId(thread, handle, device());
}
inline std::uint32_t streamId(const ThreadState& thread, cudaStream_t stream)
{
    return streamId(thread, stream, [stream] { return deviceOf(stream); });
}

/// Times the real call between entering and leaving the in-flight slot, writes the record with
/// `write(times)`.
template <class Call, class Write>
auto timedCall(ThreadState& thread, Api api, bool wanted, Call& call, Write&& write)
{
    trace::InFlight& slot = thread.inFlight();
    CallTimes times{ticks(), 0, 0, wanted};
    enterCall(slot, stringIdOf(api), times.start);
    const auto result = call();
    times.end = ticks();
    times.result = static_cast<std::int32_t>(result);
    write(times);
    leaveCall(slot);
    return result;
}
template <class Call, class Write>
auto timedCall(ThreadState& thread, Api api, Call& call, Write&& write)
{
    return timedCall(thread, api, !isPaused(), call, write);
}

// These three are not looked at while recording is paused: they are always wanted.

template <class Call>
auto record(ThreadState& thread, Api api, const Plain&, Call& call)
{
    return timedCall(thread, api, true, call,
                     [&](const CallTimes& times) { writeCall(*thread.ring, api, times); });
}

template <class Call>
auto record(ThreadState& thread, Api api, const OnStream& what, Call& call)
{
    return timedCall(thread, api, true, call, [&](const CallTimes& times) {
        writeCall(*thread.ring, api, times, streamId(thread, what.stream));
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const Sized& what, Call& call)
{
    return timedCall(thread, api, true, call, [&](const CallTimes& times) {
        writeMemory(*thread.ring, api, times, what.bytes, what.copyKind, streamId(thread, what.stream));
    });
}

/// Writes the record of a call that is looked at for what it defines.
inline void writeIfWanted(ThreadState& thread, Api api, const CallTimes& times)
{
    if (times.wanted) {
        writeCall(*thread.ring, api, times);
    }
}
template <class Call>
auto recordIfWanted(ThreadState& thread, Api api, Call& call)
{
    return timedCall(thread, api, call, [&](const CallTimes& times) { writeIfWanted(thread, api, times); });
}

template <class Call>
auto record(ThreadState& thread, Api api, const Allocation& what, Call& call)
{
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        if (times.result == cudaSuccess && !thread.deviceNoted) {
            noteDevice(thread);
        }
        if (times.wanted) {
            writeMemory(*thread.ring, api, times, what.bytes, trace::kNoCopyKind, 0);
        }
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const EndOfStream& what, Call& call)
{
    // Before the real call: afterwards another thread may already have got the same handle.
    registry().forgetStream(reinterpret_cast<std::uint64_t>(what.stream));
    return recordIfWanted(thread, api, call);
}

template <class Call>
auto record(ThreadState& thread, Api api, const DeviceReset&, Call& call)
{
    forgetEvents();
    return recordIfWanted(thread, api, call);
}

/// For what isUnseen() does not pass over.
template <class What, class Call>
auto intercept(Api api, const What& what, Call&& call)
{
    const Inside inside;
    ThreadState* thread = t_thread.state;
    if (thread == nullptr) [[unlikely]] {
        thread = makeRecordingThread(); // the process's first call learns only here that it begins paused
        if (thread == nullptr || (!kSeenWhilePaused<What> && isPaused())) {
            return call();
        }
    }
    return record(*thread, api, what, call);
}

} // namespace ringside::collector

#define RINGSIDE_UNWRAP(...) __VA_ARGS__

/// Makes the wrapper of one row; used as RS_API with the library and the answer when no library has the
/// function. In parts: a call that is not recorded saves no register and makes no frame. What depends on the
/// caller, and each first call, goes through elsewhere_.
#define RINGSIDE_WRAPPER(library, unavailable, result, name, parameters, arguments, what)                    \
    extern "C" __attribute__((visibility("default"))) result name parameters;                                \
    namespace ringside::collector {                                                                          \
    static constinit Real<result parameters> g_real_##name(Library::library, #name);                         \
    auto what_##name parameters->std::remove_cvref_t<decltype(RINGSIDE_UNWRAP what)>; /* its type only */    \
    [[gnu::noinline]] static result recorded_##name parameters                                               \
    {                                                                                                        \
        auto* const function = g_real_##name.get();                                                          \
        return intercept(Api::name, RINGSIDE_UNWRAP what, [&] { return function arguments; });               \
    }                                                                                                        \
    [[gnu::cold, gnu::noinline]] static result elsewhere_##name parameters                                   \
    {                                                                                                        \
        auto* const function = g_real_##name.get();                                                          \
        if (function == nullptr) {                                                                           \
            g_real_##name.sayMissingOnce();                                                                  \
            return unavailable;                                                                              \
        }                                                                                                    \
        if (isUnseen<decltype(what_##name arguments)>()) {                                                   \
            return function arguments;                                                                       \
        }                                                                                                    \
        return recorded_##name arguments;                                                                    \
    }                                                                                                        \
    }                                                                                                        \
    result name parameters                                                                                   \
    {                                                                                                        \
        using namespace ringside::collector;                                                                 \
        auto* const function = g_real_##name.everyones();                                                    \
        if (function == nullptr) [[unlikely]] {                                                              \
            t_thread.caller = __builtin_return_address(0);                                                   \
            return elsewhere_##name arguments;                                                               \
        }                                                                                                    \
        if (isUnseen<decltype(what_##name arguments)>()) {                                                   \
            return function arguments;                                                                       \
        }                                                                                                    \
        t_thread.caller = __builtin_return_address(0);                                                       \
        return recorded_##name arguments;                                                                    \
    }
