// SPDX-License-Identifier: Apache-2.0
#include "gradient_reducer.h"

#include "reduction.h"

namespace ringside::trainer {

GradientReducer::GradientReducer(const Network& network, ncclComm_t communicator, cudaStream_t computeStream,
                                 const Hooks& hooks)
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
    float* gradients = m_network.gradients().data() + m_network.tensors()[bucket.first].offset;
    const Reduction reduction{m_reductions++, gradients, bucket.bytes / sizeof(float), m_communicator,
                              m_communicationStream.get()};
    if (m_hooks.insteadOfReduction && m_hooks.insteadOfReduction(reduction))
        return;
    RS_CHECK(ncclAllReduce(gradients, gradients, reduction.count, ncclFloat, ncclSum, m_communicator,
                           reduction.stream));
}

void GradientReducer::finish()
{
    if (!m_hooks.overlap) {
        order(m_computeStream, m_gradientsReady.get(), m_communicationStream.get());
        for (const Bucket& bucket : m_buckets)
            reduce(bucket);
    }
    m_next = 0;
    order(m_communicationStream.get(), m_reduced.get(), m_computeStream);
}

} // namespace ringside::trainer
