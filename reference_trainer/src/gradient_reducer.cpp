// SPDX-License-Identifier: Apache-2.0
#include "gradient_reducer.h"

namespace ringside::trainer {

GradientReducer::GradientReducer(const Options& options, const Network& network, ncclComm_t communicator,
                                 cudaStream_t computeStream, const Hooks& hooks)
    : m_hooks(hooks)
    , m_communicator(communicator)
    , m_computeStream(computeStream)
    , m_communicationStream(makeStream())
    , m_usedParameters(options, network.tensors().size())
    , m_gradientsReady(makeEvent())
    , m_reduced(makeEvent())
{
    std::vector<std::size_t> bytes;
    for (const Network::Tensor& tensor : network.tensors())
        bytes.push_back(tensor.count * sizeof(float));
    m_buckets = planBuckets(bytes, hooks.buckets);
    m_exchange = makeExchange(
        readGradientFormat(options.gradients).value(),
        {.network = network, .buckets = m_buckets, .communicator = communicator, .hooks = hooks});
}

void GradientReducer::ready(std::size_t index)
{
    if (!overlaps() || index + 1 != m_buckets[m_next].last)
        return;
    order(m_computeStream, m_gradientsReady.get(), m_communicationStream.get());
    m_exchange->exchange(m_buckets[m_next++], m_communicationStream.get());
}

void GradientReducer::finish()
{
    if (!overlaps()) {
        order(m_computeStream, m_gradientsReady.get(), m_communicationStream.get());
        for (const Bucket& bucket : m_buckets)
            m_exchange->exchange(bucket, m_communicationStream.get());
    }
    m_next = 0;
    if (m_usedParameters.wanted(m_passes++))
        m_usedParameters.reduce(m_communicator, m_communicationStream.get());
    order(m_communicationStream.get(), m_reduced.get(), m_computeStream);
}

} // namespace ringside::trainer
