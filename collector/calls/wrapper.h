// SPDX-License-Identifier: Apache-2.0
// The body of every wrapper. It returns exactly what the real function returned. It never throws, logs
// or locks. It records only calls of the program itself: calls that NCCL and CUDA make inside a recorded
// call are passed through.
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

/// The calling thread's current device. -1: there is no runtime, or it returned an error.
int currentDevice();
/// Returns the device of a stream, or the current one if the runtime cannot return it.
int deviceOf(cudaStream_t stream);
/// Registers the device that the thread uses, once a thread.
void noteDevice(ThreadState& thread);

/// Whether calls of this kind are handled even while recording is paused: they define something, or take
/// a number that later records need.
template <class What>
inline constexpr bool kSeenWhilePaused =
    !std::is_same_v<What, Plain> && !std::is_same_v<What, OnStream> && !std::is_same_v<What, Sized>;
template <class What>
[[gnu::always_inline]] inline bool isUnseen()
{
    return t_thread.depth != 0 || (kSeenWhilePaused<What> ? g_gate.isOver() : !g_gate.isOpen());
}

/// The id of a stream whose handle is not registered: a new one, or one of CUDA's special handles. Those
/// are another stream on every device, and cudaStreamPerThread also in every thread.
[[gnu::cold]] inline std::uint32_t unknownStreamId(const ThreadState& thread, std::uint64_t handle,
                                                   int device)
{
    if (handle != kLegacyStream && handle != kStreamPerThread) {
        return registry().addStream(handle, device);
    }
    const std::uint64_t user = handle == kStreamPerThread ? thread.threadId : 0;
    // No object has this address: objects are aligned.
    const std::uint64_t key = user << 16 | static_cast<std::uint64_t>(device + 1) << 8 | handle;
    const std::uint32_t known = registry().streamId(key);
    return known != 0 ? known : registry().addStream(key, device);
}

/// The id of the stream that a call went to. 0: the null stream, or there is no room for another one.
/// Calls `device()` for a new stream, and always for CUDA's special handles.
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

/// Measures the real call while it stands in the in-flight slot, then writes the record with
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

// Handled even while recording is paused: later records need them.

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

/// Writes the record of a call that defines something.
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
    // Done before the real call: after it another thread may already have been given the same handle.
    registry().forgetStream(reinterpret_cast<std::uint64_t>(what.stream));
    return recordIfWanted(thread, api, call);
}

template <class Call>
auto record(ThreadState& thread, Api api, const DeviceReset&, Call& call)
{
    forgetEvents();
    return recordIfWanted(thread, api, call);
}

/// For calls that isUnseen() does not skip.
template <class What, class Call>
auto intercept(Api api, const What& what, Call&& call)
{
    const Outermost inside;
    ThreadState* thread = t_thread.state;
    if (thread == nullptr) [[unlikely]] {
        // the process's first call learns only here that recording begins paused
        thread = makeRecordingThread();
        if (thread == nullptr || (!kSeenWhilePaused<What> && isPaused())) {
            return call();
        }
    }
    return record(*thread, api, what, call);
}

} // namespace ringside::collector

#define RINGSIDE_UNWRAP(...) __VA_ARGS__

/// Defines the wrapper of one row; used as RS_API with the library and the result to return when no
/// library has the function. It is split in two: a call that is not recorded saves no register and makes
/// no stack frame. A first call, and one whose target depends on the caller, goes through elsewhere_.
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
