// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions by which another client begins and ends. Its calls go to CUPTI as they are, once we have
// let go of it (device/neighbour.h). PyTorch is linked to libcupti, so that they come here wherever that
// library was loaded; a client that looks its functions up in the library itself is not seen.
#include "abi/cupti.h"

#include "device/neighbour.h"
#include "intercept/resolve.h"

#include <type_traits>

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
cupti::Result forward(Real<cupti::Result(Arguments...)>& real, Arguments... arguments)
{
    auto* const function = real.get();
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
constinit Real<cupti::Result(cupti::Kind)> g_enableAndDump{Library::Cupti, "cuptiActivityEnableAndDump"};
constinit Real<cupti::Result(void*, cupti::Kind)> g_enableContext{Library::Cupti,
                                                                  "cuptiActivityEnableContext"};
constinit Real<cupti::Result(void*, cupti::Kind)> g_disableContext{Library::Cupti,
                                                                   "cuptiActivityDisableContext"};
constinit Real<cupti::Result()> g_finalize{Library::Cupti, "cuptiFinalize"};

template <class... Arguments>
cupti::Result switchOn(Real<cupti::Result(Arguments...)>& real, cupti::Kind kind,
                       std::type_identity_t<Arguments>... arguments)
{
    const NeighbourCall call(neighbour::Call::Begins);
    const cupti::Result result = forward(real, arguments...);
    if (call.succeeded(result)) {
        neighbour::noteKind(kind, true);
    }
    return result;
}

template <class... Arguments>
cupti::Result switchOff(Real<cupti::Result(Arguments...)>& real, cupti::Kind kind,
                        std::type_identity_t<Arguments>... arguments)
{
    const NeighbourCall call(neighbour::Call::Ends);
    const cupti::Result result = forward(real, arguments...);
    if (call.succeeded(result)) {
        neighbour::noteKind(kind, false);
    }
    return result;
}

template <class... Arguments>
cupti::Result subscribe(Real<cupti::Result(Arguments...)>& real, std::type_identity_t<Arguments>... arguments)
{
    const NeighbourCall call(neighbour::Call::Begins);
    const cupti::Result result = forward(real, arguments...);
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
    return collector::subscribe(collector::g_subscribe, subscriber, callback, user);
}

int cuptiSubscribe_v2(void** subscriber, cupti::Callback callback, void* user,
                      cupti::SubscriberParameters* parameters)
{
    return collector::subscribe(collector::g_subscribeNamed, subscriber, callback, user, parameters);
}

int cuptiUnsubscribe(void* subscriber)
{
    const collector::NeighbourCall call(neighbour::Call::Ends);
    const int result = collector::forward(collector::g_unsubscribe, subscriber);
    if (call.succeeded(result)) {
        neighbour::noteUnsubscribed();
    }
    return result;
}

int cuptiActivityRegisterCallbacks(cupti::BufferRequested requested, cupti::BufferCompleted completed)
{
    const collector::NeighbourCall call(neighbour::Call::Begins);
    if (!call.succeeded(cupti::kSuccess) || requested == nullptr || completed == nullptr) {
        return collector::forward(collector::g_registerCallbacks, requested, completed);
    }
    const neighbour::BufferCallbacks shared = neighbour::takeCallbacks({requested, completed});
    return collector::forward(collector::g_registerCallbacks, shared.requested, shared.completed);
}

int cuptiActivityRegisterTimestampCallback(cupti::Timestamp timestamp)
{
    const collector::NeighbourCall call(
        neighbour::Call::Begins); // in our window it would change the clock of our records
    return collector::forward(collector::g_registerTimestamp, timestamp);
}

int cuptiActivityEnable(cupti::Kind kind)
{
    return collector::switchOn(collector::g_enable, kind, kind);
}

int cuptiActivityEnableAndDump(cupti::Kind kind)
{
    return collector::switchOn(collector::g_enableAndDump, kind, kind);
}

int cuptiActivityEnableContext(void* context, cupti::Kind kind)
{
    return collector::switchOn(collector::g_enableContext, kind, context, kind);
}

int cuptiActivityDisable(cupti::Kind kind)
{
    return collector::switchOff(collector::g_disable, kind, kind);
}

int cuptiActivityDisableContext(void* context, cupti::Kind kind)
{
    return collector::switchOff(collector::g_disableContext, kind, context, kind);
}

int cuptiFinalize()
{
    const collector::NeighbourCall call(neighbour::Call::Begins); // it would end ours, too
    const int result = collector::forward(collector::g_finalize);
    if (call.succeeded(result)) {
        neighbour::noteFinalized();
    }
    return result;
}

} // extern "C"
#pragma GCC visibility pop
