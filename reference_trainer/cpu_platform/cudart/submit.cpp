// SPDX-License-Identifier: Apache-2.0
#include "submit.h"

#include "activity.h"
#include "capture.h"
#include "device.h"

namespace ringside::platform {
namespace {

void discard(const Work& work)
{
    if (work.run != nullptr)
        work.run(work.arg, true); // this function must free its argument in any case
}

} // namespace

Submitted submit(Stream& stream, QueueItem item)
{
    const cudaError_t error = checkUse(stream);
    if (error != cudaSuccess) {
        discard(item.work);
        return {error, nullptr};
    }
    if (const auto captured = captureItem(stream, item))
        return {*captured, nullptr};
    item.correlation = ApiCall::correlation();
    return {cudaSuccess, device(stream.options().device).enqueue(stream, std::move(item))};
}

cudaError_t submitAndWait(Stream& stream, QueueItem item)
{
    const cudaError_t error = checkWait(stream);
    if (error != cudaSuccess) {
        discard(item.work);
        return error;
    }
    const Submitted submitted = submit(stream, std::move(item));
    if (submitted.done != nullptr)
        submitted.done->wait();
    return submitted.error;
}

} // namespace ringside::platform
