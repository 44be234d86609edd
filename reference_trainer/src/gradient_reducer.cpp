// SPDX-License-Identifier: Apache-2.0
#include "gradient_reducer.h"

#include "kernels/kernels.h"
#include "reduction.h"

namespace ringside::trainer {

GradientReducer::GradientReducer(const Network& network, ncclComm_t communicator, cudaStream_t computeStream,
                                 bool inHalf, const Hooks& hooks)
    : m_network(network)
    , m_hooks(hooks)
    , m_communicator(communicator)
    , m_computeStream(computeStream)
    , m_communicationStream(makeStream())
    , m_gradientsReady(makeEvent())
    , m_reduced(makeEvent())
{
    std::vector<std::size_t> bytes;
    for (const Network::Tensor& tensor : network.tensors())
        bytes.push_back(tensor.count * sizeof(float));
    m_buckets = planBuckets(bytes, hooks.buckets);
    if (inHalf)
        m_halves = DeviceArray<unsigned short>(network.gradients().size());
}

void GradientReducer::ready(std::size_t index)
{
    if (!m_hooks.overlap || index + 1 != m_buckets[m_next].last)
        return;
    order(m_computeStream, m_gradientsReady.get(), m_communicationStream.get());
    reduce(m_buckets[m_next++]);
}

void GradientReducer::reduce(const Bucket& bucket)
{
    const std::size_t offset = m_network.tensors()[bucket.first].offset;
    float* const gradients = m_network.gradients().data() + offset;
    const std::size_t count = bucket.bytes / sizeof(float);
    cudaStream_t stream = m_communicationStream.get();
    if (m_halves.size() == 0) {
        reduceAs({m_reductions++, gradients, count, ncclFloat, m_communicator, stream});
        return;
    }
    unsigned short* const halves = m_halves.data() + offset;
    const auto elements = static_cast<unsigned>(count);
    RS_CHECK(launch_to_half(stream, elements, gradients, halves));
    reduceAs({m_reductions++, halves, count, ncclHalf, m_communicator, stream});
    RS_CHECK(launch_from_half(stream, elements, halves, gradients));
}

void GradientReducer::reduceAs(const Reduction& reduction)
{
    if (m_hooks.insteadOfReduction && m_hooks.insteadOfReduction(reduction))
        return;
    RS_CHECK(ncclAllReduce(reduction.gradients, reduction.gradients, reduction.count, reduction.type, ncclSum,
                           reduction.communicator, reduction.stream));
}

void GradientReducer::finish()
{
    if (!m_hooks.overlap) {
        order(m_computeStream, m_gradientsReady.get(), m_communicationStream.get());
        for (const Bucket& bucket : m_buckets)
            reduce(bucket);
    }
    m_next = 0;
    for (const auto& hook : m_hooks.afterBackward)
        hook(m_communicator, m_communicationStream.get());
    order(m_communicationStream.get(), m_reduced.get(), m_computeStream);
}

} // namespace ringside::trainer
