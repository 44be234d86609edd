// SPDX-License-Identifier: Apache-2.0
// Subscription: one subscriber, as in CUDA 13.0. Callbacks are accepted but never called, because this
// library emulates activity.
#include "conduct.h"
#include "generation.h"

#include <cupti.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>

struct CUpti_Subscriber_st {
    char name[64];
};

namespace {

struct Subscription {
    std::mutex mutex;
    CUpti_Subscriber_st subscriber{};
    bool taken = false;
};

Subscription& subscription()
{
    static auto* only = new Subscription;
    return *only;
}

void copyText(char* to, std::size_t size, const char* from)
{
    const std::size_t length = std::min(std::strlen(from), size - 1);
    std::memcpy(to, from, length);
    to[length] = '\0';
}

CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_SubscriberParams* parameters)
{
    if (handle == nullptr)
        return CUPTI_ERROR_INVALID_PARAMETER;
    const ringside::cupti::Conduct& conduct = ringside::cupti::Conduct::get();
    if (const CUptiResult refusal = conduct.refusal(); refusal != CUPTI_SUCCESS)
        return refusal;
    Subscription& only = subscription();
    const std::lock_guard lock(only.mutex);
    if (only.taken || conduct.held) {
        if (parameters != nullptr && parameters->oldSubscriberName != nullptr &&
            parameters->oldSubscriberSize > 0)
            copyText(parameters->oldSubscriberName, parameters->oldSubscriberSize,
                     only.taken ? only.subscriber.name : "another tool");
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    const bool named = parameters != nullptr && parameters->subscriberName != nullptr;
    copyText(only.subscriber.name, sizeof only.subscriber.name, named ? parameters->subscriberName : "");
    only.taken = true;
    *handle = &only.subscriber;
    return CUPTI_SUCCESS;
}

bool isSubscriber(CUpti_SubscriberHandle handle)
{
    Subscription& only = subscription();
    const std::lock_guard lock(only.mutex);
    return only.taken && handle == &only.subscriber;
}

CUptiResult accept(CUpti_SubscriberHandle handle)
{
    return isSubscriber(handle) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

struct FunctionName {
    std::uint32_t cbid;
    const char* name;
};
constexpr FunctionName kFunctionNames[] = {
#define X(name, number) {number, #name},
#include "runtime_cbids.def"
#undef X
};

// Functions with which libraries launch kernels.
constexpr FunctionName kDriverFunctionNames[] = {{652, "cuLaunchKernelEx"}};

// With the vendor's headers, this checks the numbers.
#if __has_include(<cupti_driver_cbid.h>)
static_assert(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx == kDriverFunctionNames[0].cbid);
#endif
#define X(name, number) static_assert(CUPTI_RUNTIME_TRACE_CBID_##name == (number));
#include "runtime_cbids.def"
#undef X

} // namespace

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc, void*)
{
    return subscribe(handle, nullptr);
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc, void*,
                              CUpti_SubscriberParams* parameters)
{
    return subscribe(handle, parameters);
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle)
{
    if (!isSubscriber(handle))
        return CUPTI_ERROR_INVALID_PARAMETER;
    const std::lock_guard lock(subscription().mutex);
    subscription().taken = false;
    ringside::cupti::leaveGeneration();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle handle, CUpti_CallbackDomain,
                                CUpti_CallbackId)
{
    return accept(handle);
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t cbid, const char** name)
{
    std::span<const FunctionName> functions;
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
        functions = kFunctionNames;
    else if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
        functions = kDriverFunctionNames;
    const auto row = std::ranges::find(functions, cbid, &FunctionName::cbid);
    if (name == nullptr || row == functions.end())
        return CUPTI_ERROR_INVALID_PARAMETER;
    *name = row->name;
    return CUPTI_SUCCESS;
}
