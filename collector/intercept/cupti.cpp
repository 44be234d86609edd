// SPDX-License-Identifier: Apache-2.0
// Wrappers of the CUPTI functions by which another client starts and stops. A call is passed on
// unchanged after the collector has released CUPTI (device/neighbour.h). PyTorch is linked to libcupti,
// so its calls arrive here wherever the library was loaded. A client that looks up the functions with
// dlsym in the library itself is not seen.
#include "abi/cupti.h"

#include "device/cupti_session.h"
#include "device/neighbour.h"
#include "resolve/resolve.h"

#include <type_traits>

namespace ringside::collector {
namespace {

constexpr cupti::Result kNotInitialized = 15;

// CUPTI may call its own exported functions. Those calls are not the other client's.
thread_local bool t_inCupti __attribute__((tls_model("initial-exec"))) = false;

class NeighbourCall final {
public:
    explicit NeighbourCall(neighbour::Call call) : m_call(call), m_outermost(!t_inCupti)
    {
        if (m_outermost) {
            t_inCupti = true;
            neighbour::enter(call);
            if (call == neighbour::Call::Begins) {
                CuptiSession::handOver();
            }
        }
    }
    ~NeighbourCall()
    {
        if (m_outermost) {
            neighbour::leave(m_call);
            t_inCupti = false;
        }
    }
    NeighbourCall(const NeighbourCall&) = delete;
    NeighbourCall& operator=(const NeighbourCall&) = delete;
    /// Whether the other client made the call and the call succeeded.
    [[nodiscard]] bool succeeded(cupti::Result result) const
    {
        return m_outermost && result == cupti::kSuccess;
    }

private:
    neighbour::Call m_call;
    bool m_outermost;
};

/// `caller`: an address in the client's code. It selects the copy of CUPTI that the client uses.
template <class... Arguments>
cupti::Result forward(Real<cupti::Result(Arguments...)>& real, const void* caller, Arguments... arguments)
{
    auto* const function = real.of(caller);
    if (function == nullptr) {
        real.sayMissingOnce();
        return kNotInitialized;
    }
    return function(arguments...);
}

// NOLINTNEXTLINE(bugprone-macro-parentheses): a type
#define RS_CUPTI(name, parameters) constinit Real<cupti::Result parameters> g_##name{Library::Cupti, #name};
RINGSIDE_CUPTI_INTERCEPTED(RS_CUPTI)
RINGSIDE_CUPTI_INTERCEPTED_FROM_13_2(RS_CUPTI)
#undef RS_CUPTI

template <class... Arguments>
cupti::Result switchOn(Real<cupti::Result(Arguments...)>& real, const void* caller, cupti::Kind kind,
                       std::type_identity_t<Arguments>... arguments)
{
    const NeighbourCall call(neighbour::Call::Begins);
    const cupti::Result result = forward(real, caller, arguments...);
    if (call.succeeded(result)) {
        neighbour::noteKind(kind, true);
    }
    return result;
}

template <class... Arguments>
cupti::Result switchOff(Real<cupti::Result(Arguments...)>& real, const void* caller, cupti::Kind kind,
                        std::type_identity_t<Arguments>... arguments)
{
    const NeighbourCall call(neighbour::Call::Ends);
    const cupti::Result result = forward(real, caller, arguments...);
    if (call.succeeded(result)) {
        neighbour::noteKind(kind, false);
    }
    return result;
}

template <class... Arguments>
cupti::Result subscribe(Real<cupti::Result(Arguments...)>& real, const void* caller,
                        std::type_identity_t<Arguments>... arguments)
{
    const NeighbourCall call(neighbour::Call::Begins);
    const cupti::Result result = forward(real, caller, arguments...);
    if (call.succeeded(result)) {
        neighbour::noteSubscribed();
    }
    return result;
}

} // namespace
} // namespace ringside::collector

namespace collector = ringside::collector;
namespace cupti = ringside::collector::cupti;
namespace neighbour = ringside::collector::neighbour;

#pragma GCC visibility push(default)
extern "C" {

int cuptiSubscribe(void** subscriber, cupti::Callback callback, void* user)
{
    return collector::subscribe(collector::g_cuptiSubscribe, __builtin_return_address(0), subscriber,
                                callback, user);
}

int cuptiSubscribe_v2(void** subscriber, cupti::Callback callback, void* user,
                      cupti::SubscriberParameters* parameters)
{
    return collector::subscribe(collector::g_cuptiSubscribe_v2, __builtin_return_address(0), subscriber,
                                callback, user, parameters);
}

int cuptiUnsubscribe(void* subscriber)
{
    const collector::NeighbourCall call(neighbour::Call::Ends);
    const int result =
        collector::forward(collector::g_cuptiUnsubscribe, __builtin_return_address(0), subscriber);
    if (call.succeeded(result)) {
        neighbour::noteUnsubscribed();
    }
    return result;
}

int cuptiActivityRegisterCallbacks(cupti::BufferRequested requested, cupti::BufferCompleted completed)
{
    const collector::NeighbourCall call(neighbour::Call::Begins);
    if (!call.succeeded(cupti::kSuccess) || requested == nullptr || completed == nullptr) {
        return collector::forward(collector::g_cuptiActivityRegisterCallbacks, __builtin_return_address(0),
                                  requested, completed);
    }
    const neighbour::BufferCallbacks shared = neighbour::takeCallbacks({requested, completed});
    return collector::forward(collector::g_cuptiActivityRegisterCallbacks, __builtin_return_address(0),
                              shared.requested, shared.completed);
}

int cuptiActivityRegisterTimestampCallback(cupti::Timestamp timestamp)
{
    const collector::NeighbourCall call(
        neighbour::Call::Begins); // in our window it would change the clock of our records
    return collector::forward(collector::g_cuptiActivityRegisterTimestampCallback,
                              __builtin_return_address(0), timestamp);
}

int cuptiActivityEnable(cupti::Kind kind)
{
    return collector::switchOn(collector::g_cuptiActivityEnable, __builtin_return_address(0), kind, kind);
}

int cuptiActivityEnableAndDump(cupti::Kind kind)
{
    return collector::switchOn(collector::g_cuptiActivityEnableAndDump, __builtin_return_address(0), kind,
                               kind);
}

int cuptiActivityEnableContext(void* context, cupti::Kind kind)
{
    return collector::switchOn(collector::g_cuptiActivityEnableContext, __builtin_return_address(0), kind,
                               context, kind);
}

int cuptiActivityDisable(cupti::Kind kind)
{
    return collector::switchOff(collector::g_cuptiActivityDisable, __builtin_return_address(0), kind, kind);
}

int cuptiActivityDisableContext(void* context, cupti::Kind kind)
{
    return collector::switchOff(collector::g_cuptiActivityDisableContext, __builtin_return_address(0), kind,
                                context, kind);
}

// A client of these has CUPTI until it unsubscribes: CUPTI refuses the older functions meanwhile.

int cuptiActivityRegisterCallbacks_v2(void* subscriber, cupti::BufferRequestedV2 requested,
                                      cupti::BufferCompletedV2 completed)
{
    const collector::NeighbourCall call(neighbour::Call::Begins);
    const int result = collector::forward(collector::g_cuptiActivityRegisterCallbacks_v2,
                                          __builtin_return_address(0), subscriber, requested, completed);
    if (call.succeeded(result)) {
        neighbour::noteOwnRecords();
    }
    return result;
}

int cuptiActivityEnable_v2(void* subscriber, cupti::Kind kind, void* configuration)
{
    return collector::switchOn(collector::g_cuptiActivityEnable_v2, __builtin_return_address(0), kind,
                               subscriber, kind, configuration);
}

int cuptiActivityEnableAndDump_v2(void* subscriber, cupti::Kind kind, void* configuration)
{
    return collector::switchOn(collector::g_cuptiActivityEnableAndDump_v2, __builtin_return_address(0), kind,
                               subscriber, kind, configuration);
}

int cuptiActivityDisable_v2(void* subscriber, cupti::Kind kind, void* configuration)
{
    return collector::switchOff(collector::g_cuptiActivityDisable_v2, __builtin_return_address(0), kind,
                                subscriber, kind, configuration);
}

int cuptiFinalize()
{
    const collector::NeighbourCall call(neighbour::Call::Begins); // it would end ours, too
    const int result = collector::forward(collector::g_cuptiFinalize, __builtin_return_address(0));
    if (call.succeeded(result)) {
        neighbour::noteFinalized();
    }
    return result;
}

} // extern "C"
#pragma GCC visibility pop
