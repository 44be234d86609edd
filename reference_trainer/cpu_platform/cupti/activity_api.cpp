// SPDX-License-Identifier: Apache-2.0
// The public activity API.
#include "conduct.h"
#include "delivery.h"
#include "generation.h"
#include "platform.h"
#include "recorder.h"

#include <cstring>
#include <map>
#include <mutex>

using namespace ringside::cupti;
using ringside::platform::ApiDomain;

namespace {

// Runs a call's body, except in a forked child.
template <class Body>
CUptiResult callWithoutDriver(Body&& body)
{
    const bool usable = !forkedAway() && Conduct::get().error.empty();
    return usable ? body() : CUPTI_ERROR_NOT_INITIALIZED;
}

// The same for calls that the real library refuses without a driver, as tried with CUDA 13.0.
template <class Body>
CUptiResult call(Body&& body)
{
    return callWithoutDriver([&] {
        const CUptiResult refusal = Conduct::get().refusal();
        return refusal == CUPTI_SUCCESS ? body() : refusal;
    });
}

CUptiResult chooseOf(ApiDomain domain, CUpti_CallbackId cbid, std::uint8_t enable)
{
    constexpr std::uint32_t kFirstWithChoice = 23; // version of CUDA 12.5
    return call([&] {
        if (Conduct::get().layouts->version < kFirstWithChoice)
            return CUPTI_ERROR_NOT_SUPPORTED; // this version does not have the function
        return chooseFunction({domain, cbid}, enable) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
    });
}

struct Attributes {
    std::mutex mutex;
    std::map<CUpti_ActivityAttribute, std::size_t> values;
};

// Sizes and pools of the real library's own buffers. The emulation has none and only stores the values for
// queries.
Attributes& attributes()
{
    static auto* all = new Attributes;
    return *all;
}

} // namespace

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete)
{
    return callWithoutDriver([&] {
        if (request == nullptr || complete == nullptr)
            return CUPTI_ERROR_INVALID_PARAMETER;
        if (const CUptiResult refusal = admit(Generation::Older); refusal != CUPTI_SUCCESS)
            return refusal;
        enterGeneration(Generation::Older);
        Delivery::get().setCallbacks(request, complete);
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    return call([&] {
        if (!isRecordedKind(kind))
            return CUPTI_ERROR_NOT_SUPPORTED;
        if (const CUptiResult refusal = admit(Generation::Older); refusal != CUPTI_SUCCESS)
            return refusal;
        enableKind(kind);
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    return call([&] {
        if (!isRecordedKind(kind))
            return CUPTI_ERROR_INVALID_KIND;
        disableKind(kind);
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, std::uint8_t enable)
{
    return chooseOf(ApiDomain::Runtime, cbid, enable);
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, std::uint8_t enable)
{
    return chooseOf(ApiDomain::Driver, cbid, enable);
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
    return callWithoutDriver([&] {
        if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT && type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)
            return CUPTI_ERROR_NOT_SUPPORTED;
        setThreadIds(type);
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type)
{
    return callWithoutDriver([&] {
        if (type == nullptr)
            return CUPTI_ERROR_INVALID_PARAMETER;
        *type = threadIds();
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t validSize, CUpti_Activity** record)
{
    if (buffer == nullptr || record == nullptr)
        return CUPTI_ERROR_INVALID_PARAMETER;
    const Layouts& layouts = *Conduct::get().layouts;
    auto* next = buffer;
    if (*record != nullptr)
        next = reinterpret_cast<std::uint8_t*>(*record) + recordSize(layouts, (*record)->kind);
    if (next >= buffer + validSize)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    auto* found = reinterpret_cast<CUpti_Activity*>(next);
    if (recordSize(layouts, found->kind) == 0)
        return CUPTI_ERROR_INVALID_KIND;
    *record = found;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped)
{
    return callWithoutDriver([&] {
        if (dropped == nullptr)
            return CUPTI_ERROR_INVALID_PARAMETER;
        *dropped = Delivery::get().takeDropped();
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiActivityFlushAll(std::uint32_t)
{
    return call([] {
        if (!Delivery::get().hasCallbacks())
            return CUPTI_ERROR_INVALID_OPERATION;
        Delivery::get().flush();
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiActivityFlushPeriod(std::uint32_t)
{
    // The real library returns full buffers at this period; here they are returned at once.
    return call([] { return CUPTI_SUCCESS; });
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, std::size_t* size, void* value)
{
    return call([&] {
        if (size == nullptr || value == nullptr || *size > sizeof(std::size_t))
            return CUPTI_ERROR_INVALID_PARAMETER;
        const std::lock_guard lock(attributes().mutex);
        std::memcpy(&attributes().values[attribute], value, *size);
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute, std::size_t* size, void* value)
{
    return call([&] {
        if (size == nullptr || value == nullptr || *size > sizeof(std::size_t))
            return CUPTI_ERROR_INVALID_PARAMETER;
        const std::lock_guard lock(attributes().mutex);
        std::memcpy(value, &attributes().values[attribute], *size);
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, std::uint64_t id)
{
    return call([&] { return pushExternalId(kind, id) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER; });
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, std::uint64_t* last)
{
    return call([&] {
        if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
            return CUPTI_ERROR_INVALID_PARAMETER;
        std::uint64_t id = 0;
        if (!popExternalId(kind, id))
            return CUPTI_ERROR_QUEUE_EMPTY;
        if (last != nullptr)
            *last = id;
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp)
{
    if (timestamp == nullptr)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *timestamp = clientTime(ringside_platform_now_ns());
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc timestamp)
{
    if (timestamp == nullptr)
        return CUPTI_ERROR_INVALID_PARAMETER;
    return call([&] {
        setClientClock(timestamp);
        return CUPTI_SUCCESS;
    });
}

CUptiResult cuptiFinalize()
{
    return callWithoutDriver([] {
        disableAll();
        if (Delivery::get().hasCallbacks())
            Delivery::get().flush();
        return CUPTI_SUCCESS;
    });
}
