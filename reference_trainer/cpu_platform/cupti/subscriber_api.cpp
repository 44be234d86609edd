// SPDX-License-Identifier: Apache-2.0
// The activity API of a subscriber, CUDA 13.2: names, parameters and the refusal of mixtures are those of
// NVIDIA's documentation (CUPTI user's guide, multiple subscribers). There is one subscriber here, and
// records have all fields: configurations are accepted and ignored.
#include "delivery.h"
#include "generation.h"
#include "recorder.h"

#include <atomic>

namespace ringside::cupti {

using Request = void (*)(std::uint8_t**, std::size_t*, std::size_t*, void*);
using Complete = void (*)(std::uint8_t*, std::size_t, std::size_t, void*);

namespace {

std::atomic<Request> requestOfSubscriber{nullptr};
std::atomic<Complete> completeOfSubscriber{nullptr};
std::atomic<bool> ofSubscriber{false};
std::atomic<bool> older{false};

void request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records)
{
    requestOfSubscriber.load()(buffer, bytes, records, nullptr);
}

void complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t bytes, std::size_t validBytes)
{
    completeOfSubscriber.load()(buffer, bytes, validBytes, nullptr);
}

} // namespace

CUptiResult admit(Generation generation)
{
    const bool refused = generation == Generation::Older ? ofSubscriber.load() : older.load();
    return refused ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : CUPTI_SUCCESS;
}

void enterGeneration(Generation generation)
{
    (generation == Generation::Older ? older : ofSubscriber) = true;
}

void leaveGeneration()
{
    older = false;
    ofSubscriber = false;
}

} // namespace ringside::cupti

using namespace ringside::cupti;

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks_v2(CUpti_SubscriberHandle subscriber, Request requested,
                                              Complete completed)
{
    if (subscriber == nullptr || requested == nullptr || completed == nullptr)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (const CUptiResult refusal = admit(Generation::OfSubscriber); refusal != CUPTI_SUCCESS)
        return refusal;
    enterGeneration(Generation::OfSubscriber);
    requestOfSubscriber = requested;
    completeOfSubscriber = completed;
    Delivery::get().setCallbacks(&request, &complete);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void*)
{
    if (subscriber == nullptr)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!isRecordedKind(kind))
        return CUPTI_ERROR_NOT_SUPPORTED;
    if (const CUptiResult refusal = admit(Generation::OfSubscriber); refusal != CUPTI_SUCCESS)
        return refusal;
    enableKind(kind);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void*)
{
    if (subscriber == nullptr)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!isRecordedKind(kind))
        return CUPTI_ERROR_INVALID_KIND;
    disableKind(kind);
    return CUPTI_SUCCESS;
}
}
