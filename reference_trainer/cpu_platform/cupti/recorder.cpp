// SPDX-License-Identifier: Apache-2.0
#include "recorder.h"

#include "conduct.h"
#include "delivery.h"
#include "platform.h"
#include "records.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

namespace ringside::cupti {
namespace {

constexpr std::size_t kKinds = 64;
constexpr std::size_t kFunctions = 1024; // CUDA 13.0 uses numbers up to 522

std::array<std::atomic<bool>, kKinds> enabledKinds{};
// By domain. Chosen with cuptiActivityEnableRuntimeApi or DriverApi: 0 not mentioned, 1 on, 2 off although
// the kind is on.
std::array<std::array<std::atomic<std::uint8_t>, kFunctions>, 2> chosenFunctions{};
std::atomic<bool> forked = false;
std::atomic<CUpti_TimestampCallbackFunc> clientClock = nullptr;

std::atomic<CUpti_ActivityThreadIdType>& threadIdType()
{
    static std::atomic<CUpti_ActivityThreadIdType> type = Conduct::get().systemThreadIds
                                                              ? CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
                                                              : CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
    return type;
}

thread_local std::array<std::vector<std::uint64_t>, CUPTI_EXTERNAL_CORRELATION_KIND_SIZE> externalIds;

CUpti_ActivityKind kindOf(platform::ApiDomain domain)
{
    return domain == platform::ApiDomain::Driver ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME;
}

bool isOn(CUpti_ActivityKind kind)
{
    return enabledKinds[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
}

bool recordsCall(platform::ApiFunction function)
{
    const auto& choices = chosenFunctions[static_cast<std::size_t>(function.domain)];
    const std::uint8_t chosen =
        function.cbid < kFunctions ? choices[function.cbid].load(std::memory_order_relaxed) : 0;
    return chosen == 1 || (chosen == 0 && isOn(kindOf(function.domain)));
}

// A record as long as the layout says: cut, or with bytes behind it that mean nothing to older clients.
template <class Record>
struct Laid {
    explicit Laid(const Record& record) : size(recordSize(*Conduct::get().layouts, record.kind))
    {
        bytes.fill(0xEE);
        std::memcpy(bytes.data(), &record, std::min(size, sizeof(Record)));
    }
    static constexpr std::size_t kMostAppended = 64;
    std::size_t size;
    std::array<unsigned char, sizeof(Record) + kMostAppended> bytes;
};

template <class Record>
void append(const Record& record)
{
    const Laid laid(record);
    Delivery::get().append(laid.bytes.data(), laid.size);
}

// Kernels, copies and sets: records that the real library collects on the device.
template <class Record>
void appendWork(const Record& record)
{
    const Laid laid(record);
    Delivery::get().appendWork(laid.bytes.data(), laid.size);
}

void onWork(const platform::WorkActivity& measured)
{
    platform::WorkActivity activity = measured;
    activity.startNs = static_cast<std::int64_t>(clientTime(measured.startNs));
    activity.endNs = static_cast<std::int64_t>(clientTime(measured.endNs));
    if (Conduct::get().zeroTimes)
        activity.startNs = activity.endNs = 0;
    if (activity.kind == platform::WorkKind::Copy && activity.peers.differ()) {
        if (isOn(CUPTI_ACTIVITY_KIND_MEMCPY2))
            appendWork(peerCopyRecord(activity));
    } else if (activity.kind == platform::WorkKind::Copy) {
        if (isOn(CUPTI_ACTIVITY_KIND_MEMCPY))
            appendWork(copyRecord(activity));
    } else if (activity.kind == platform::WorkKind::Set) {
        if (isOn(CUPTI_ACTIVITY_KIND_MEMSET))
            appendWork(setRecord(activity));
    } else if (isOn(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) {
        appendWork(kernelRecord(activity, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    } else if (isOn(CUPTI_ACTIVITY_KIND_KERNEL)) {
        appendWork(kernelRecord(activity, CUPTI_ACTIVITY_KIND_KERNEL));
    }
}

// As in the real library: only the innermost id of each kind, only for recorded calls, before the call's
// record.
void onApiBegin(platform::ApiFunction function, std::uint32_t correlation)
{
    if (!isOn(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) || !recordsCall(function))
        return;
    for (std::size_t kind = 0; kind < externalIds.size(); ++kind)
        if (!externalIds[kind].empty())
            append(externalRecord(static_cast<CUpti_ExternalCorrelationKind>(kind), externalIds[kind].back(),
                                  correlation));
}

void onApiEnd(const platform::ApiActivity& measured)
{
    if (!recordsCall(measured.function))
        return;
    platform::ApiActivity activity = measured;
    activity.startNs = static_cast<std::int64_t>(clientTime(measured.startNs));
    activity.endNs = static_cast<std::int64_t>(clientTime(measured.endNs));
    append(callRecord(activity, kindOf(activity.function.domain), threadIds()));
}

void installSink()
{
    static const platform::ActivitySink sink{onWork, onApiBegin, onApiEnd};
    static const bool watching = pthread_atfork(nullptr, nullptr, [] { forked = true; }) == 0;
    static_cast<void>(watching);
    ringside_platform_set_sink(&sink);
}

} // namespace

bool isRecordedKind(CUpti_ActivityKind kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
    case CUPTI_ACTIVITY_KIND_MEMSET:
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: // calls of libraries; there is no driver below the runtime
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
    case CUPTI_ACTIVITY_KIND_OVERHEAD: // the emulation has no overhead records
        return true;
    default:
        return false;
    }
}

void enableKind(CUpti_ActivityKind kind)
{
    for (const auto domain : {platform::ApiDomain::Runtime, platform::ApiDomain::Driver})
        if (kindOf(domain) == kind)
            for (auto& function : chosenFunctions[static_cast<std::size_t>(domain)])
                function = 0;
    enabledKinds[static_cast<std::size_t>(kind)] = true;
    installSink();
}

void disableKind(CUpti_ActivityKind kind)
{
    enabledKinds[static_cast<std::size_t>(kind)] = false;
}

bool chooseFunction(platform::ApiFunction function, std::uint8_t enable)
{
    if (function.cbid == 0 || function.cbid >= kFunctions)
        return false;
    chosenFunctions[static_cast<std::size_t>(function.domain)][function.cbid] = enable != 0 ? 1 : 2;
    installSink();
    return true;
}

void setThreadIds(CUpti_ActivityThreadIdType type)
{
    threadIdType() = type;
}

CUpti_ActivityThreadIdType threadIds()
{
    return threadIdType();
}

void setClientClock(CUpti_TimestampCallbackFunc clock)
{
    clientClock = clock;
}

std::uint64_t clientTime(std::int64_t platformNs)
{
    const CUpti_TimestampCallbackFunc clock = clientClock;
    if (clock == nullptr)
        return static_cast<std::uint64_t>(platformNs);
    return clock() + static_cast<std::uint64_t>(platformNs - ringside_platform_now_ns());
}

void disableAll()
{
    for (auto& kind : enabledKinds)
        kind = false;
    for (auto& domain : chosenFunctions)
        for (auto& function : domain)
            function = 0;
    ringside_platform_set_sink(nullptr);
}

bool pushExternalId(CUpti_ExternalCorrelationKind kind, std::uint64_t id)
{
    if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
        return false;
    externalIds[static_cast<std::size_t>(kind)].push_back(id);
    return true;
}

bool popExternalId(CUpti_ExternalCorrelationKind kind, std::uint64_t& id)
{
    std::vector<std::uint64_t>& stack = externalIds[static_cast<std::size_t>(kind)];
    if (stack.empty())
        return false;
    id = stack.back();
    stack.pop_back();
    return true;
}

bool forkedAway()
{
    return forked.load(std::memory_order_relaxed);
}

} // namespace ringside::cupti
