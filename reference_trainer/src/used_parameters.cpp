// SPDX-License-Identifier: Apache-2.0
#include "used_parameters.h"

#include <algorithm>

namespace ringside::trainer {

UsedParameters::UsedParameters(const Options& options, std::size_t tensors)
    : m_find(options.findUnusedParameters), m_staticGraph(options.staticGraph)
{
    if (!m_find && !m_staticGraph)
        return;
    m_used = HostArray<int>(tensors, true);
    std::fill_n(m_used.data(), tensors, 1);
    m_map = DeviceArray<int>(tensors);
}

bool UsedParameters::wanted(std::uint64_t pass) const
{
    return m_staticGraph ? pass == 0 : m_find;
}

void UsedParameters::reduce(ncclComm_t communicator, cudaStream_t stream) const
{
    RS_CHECK(cudaMemcpyAsync(m_map.data(), m_used.data(), m_map.size() * sizeof(int), cudaMemcpyHostToDevice,
                             stream));
    RS_CHECK(ncclAllReduce(m_map.data(), m_map.data(), m_map.size(), ncclInt, ncclSum, communicator, stream));
}

} // namespace ringside::trainer
