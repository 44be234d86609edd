// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions by which another client begins and ends. Its calls go to CUPTI as they are, once we have
// let go of it (device/neighbour.h). PyTorch is linked to libcupti, so that they come here wherever that
// library was loaded; a client that looks its functions up in the library itself is not seen.
#include "abi/cupti.h"

#include "device/neighbour.h"
#include "intercept/resolve.h"
#include "record/cancellation.h"

namespace ringside::collector {
namespace {

constexpr cupti::Result kNotInitialized = 15;

// CUPTI may call its own exported functions: these calls are not the other client's.
thread_local bool t_inCupti __attribute__((tls_model("initial-exec"))) = false;

class NeighbourCall final {
public:
    explicit NeighbourCall(neighbour::Call call) : m_call(call), m_outermost(!t_inCupti)
    {
        if (m_outermost) {
            t_inCupti = true;
            neighbour::enter(call);
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
    /// Whether it is the other client's, and went well.
    [[nodiscard]] bool succeeded(cupti::Result result) const
    {
        return m_outermost && result == cupti::kSuccess;
    }

private:
    neighbour::Call m_call;
    bool m_outermost;
};

template <class... Arguments>
cupti::Result forward(Real<cupti::Result(Arguments...)>& real, const void* caller, Arguments... arguments)
{
    auto* function = real.known(caller);
    if (function == nullptr) {
        function = real.find(caller);
    }
    if (function == nullptr) {
        real.sayMissingOnce();
        return kNotInitialized;
    }
    return function(arguments...);
}

constinit Real<cupti::Result(void**, cupti::Callback, void*)> g_subscribe{Library::Cupti, "cuptiSubscribe"};
constinit Real<cupti::Result(void**, cupti::Callback, void*, cupti::SubscriberParameters*)> g_subscribeNamed{
    Library::Cupti, "cuptiSubscribe_v2"};
constinit Real<cupti::Result(void*)> g_unsubscribe{Library::Cupti, "cuptiUnsubscribe"};
constinit Real<cupti::Result(cupti::BufferRequested, cupti::BufferCompleted)> g_registerCallbacks{
    Library::Cupti, "cuptiActivityRegisterCallbacks"};
constinit Real<cupti::Result(cupti::Timestamp)> g_registerTimestamp{Library::Cupti,
                                                                    "cuptiActivityRegisterTimestampCallback"};
constinit Real<cupti::Result(cupti::Kind)> g_enable{Library::Cupti, "cuptiActivityEnable"};
constinit Real<cupti::Result(cupti::Kind)> g_disable{Library::Cupti, "cuptiActivityDisable"};
constinit Real<cupti::Result()> g_finalize{Library::Cupti, "cuptiFinalize"};

} // namespace
} // namespace ringside::collector

namespace collector = ringside::collector;
namespace cupti = ringside::collector::cupti;
namespace neighbour = ringside::collector::neighbour;

#pragma GCC visibility push(default)
extern "C" {

int cuptiSubscribe(void** subscriber, cupti::Callback callback, void* user)
{
    const collector::NeighbourCall call(neighbour::Call::Begins);
    const int result =
        collector::forward(collector::g_subscribe, __builtin_return_address(0), subscriber, callback, user);
    if (call.succeeded(result)) {
        neighbour::noteSubscribed();
    }
    return result;
}

int cuptiSubscribe_v2(void** subscriber, cupti::Callback callback, void* user,
                      cupti::SubscriberParameters* parameters)
{
    const collector::NeighbourCall call(neighbour::Call::Begins);
    const int result = collector::forward(collector::g_subscribeNamed, __builtin_return_address(0),
                                          subscriber, callback, user, parameters);
    if (call.succeeded(result)) {
        neighbour::noteSubscribed();
    }
    return result;
}

int cuptiUnsubscribe(void* subscriber)
{
    const collector::NeighbourCall call(neighbour::Call::Ends);
    const int result = collector::forward(collector::g_unsubscribe, __builtin_return_address(0), subscriber);
    if (call.succeeded(result)) {
        neighbour::noteUnsubscribed();
    }
    return result;
}

int cuptiActivityRegisterCallbacks(cupti::BufferRequested requested, cupti::BufferCompleted completed)
{
    const collector::NeighbourCall call(neighbour::Call::Begins);
    if (!call.succeeded(cupti::kSuccess) || requested == nullptr || completed == nullptr) {
        return collector::forward(collector::g_registerCallbacks, __builtin_return_address(0), requested,
                                  completed);
    }
    const neighbour::BufferCallbacks shared = neighbour::takeCallbacks({requested, completed});
    return collector::forward(collector::g_registerCallbacks, __builtin_return_address(0), shared.requested,
                              shared.completed);
}

int cuptiActivityRegisterTimestampCallback(cupti::Timestamp timestamp)
{
    const collector::NeighbourCall call(
        neighbour::Call::Begins); // in our window it would change the clock of our records
    return collector::forward(collector::g_registerTimestamp, __builtin_return_address(0), timestamp);
}

int cuptiActivityEnable(cupti::Kind kind)
{
    const collector::NeighbourCall call(neighbour::Call::Begins);
    const int result = collector::forward(collector::g_enable, __builtin_return_address(0), kind);
    if (call.succeeded(result)) {
        neighbour::noteKind(kind, true);
    }
    return result;
}

int cuptiActivityDisable(cupti::Kind kind)
{
    const collector::NeighbourCall call(neighbour::Call::Ends);
    const int result = collector::forward(collector::g_disable, __builtin_return_address(0), kind);
    if (call.succeeded(result)) {
        neighbour::noteKind(kind, false);
    }
    return result;
}

int cuptiFinalize()
{
    const collector::NeighbourCall call(neighbour::Call::Begins); // it would end ours, too
    const int result = collector::forward(collector::g_finalize, __builtin_return_address(0));
    if (call.succeeded(result)) {
        neighbour::noteFinalized();
    }
    return result;
}

} // extern "C"
#pragma GCC visibility pop
