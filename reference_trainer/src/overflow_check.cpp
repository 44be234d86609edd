// SPDX-License-Identifier: Apache-2.0
#include "overflow_check.h"

#include "kernels/kernels.h"

namespace ringside::trainer {

bool OverflowCheck::overflowed(cudaStream_t stream, const DeviceArray<float>& gradients)
{
    RS_CHECK(cudaMemsetAsync(m_found.data(), 0, sizeof(unsigned), stream));
    RS_CHECK(launch_find_overflow(stream, static_cast<unsigned>(gradients.size()), gradients.data(),
                                  m_found.data()));
    RS_CHECK(
        cudaMemcpyAsync(m_answer.data(), m_found.data(), sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
    RS_CHECK(cudaStreamSynchronize(stream));
    return *m_answer.data() != 0;
}

} // namespace ringside::trainer
