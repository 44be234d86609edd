// SPDX-License-Identifier: Apache-2.0
#include "topk_exchange.h"

#include "kernels/kernels.h"

#include <algorithm>
#include <cmath>

namespace ringside::trainer {

TopkExchange::TopkExchange(double share, const Context& context)
    : m_context(context), m_share(share), m_kept(context.network.gradients().size())
{
    RS_CHECK(ncclCommUserRank(context.communicator, &m_rank));
    RS_CHECK(ncclCommCount(context.communicator, &m_ranks));
    std::size_t most = 0;
    for (const Bucket& bucket : context.buckets)
        most = std::max<std::size_t>(most, wantedOf(bucket.bytes / sizeof(float)));
    m_entries = DeviceArray<TopkEntry>(most * static_cast<std::size_t>(m_ranks));
}

unsigned TopkExchange::wantedOf(std::size_t count) const
{
    return std::max(1U, static_cast<unsigned>(std::lround(m_share * static_cast<double>(count))));
}

void TopkExchange::exchange(const Bucket& bucket, cudaStream_t stream)
{
    const std::size_t offset = m_context.network.tensors()[bucket.first].offset;
    float* const gradients = m_context.network.gradients().data() + offset;
    float* const kept = m_kept.data() + offset;
    const auto count = static_cast<unsigned>(bucket.bytes / sizeof(float));
    const unsigned wanted = wantedOf(count);
    const auto entriesOf = [&](int rank) { return m_entries.data() + std::size_t{wanted} * rank; };

    RS_CHECK(launch_accumulate(stream, count, kept, gradients));
    m_largest.extract(stream, kept, count, wanted, entriesOf(m_rank));
    constexpr std::size_t kWords = sizeof(TopkEntry) / sizeof(unsigned);
    RS_CHECK(ncclAllGather(entriesOf(m_rank), m_entries.data(), wanted * kWords, ncclUint32,
                           m_context.communicator, stream));
    RS_CHECK(cudaMemsetAsync(gradients, 0, bucket.bytes, stream));
    // Adds one rank after the other: within a rank an index occurs once, but several ranks may have the same
    // index.
    for (int rank = 0; rank < m_ranks; ++rank)
        RS_CHECK(launch_topk_add(stream, wanted, entriesOf(rank), gradients));
}

} // namespace ringside::trainer
