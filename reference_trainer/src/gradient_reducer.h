// SPDX-License-Identifier: Apache-2.0
// DDP's reducer: as soon as the last gradient of a bucket is ready, the bucket's all-reduce starts on the
// communication stream while backward continues. It sums over the ranks; the optimizer divides.
// GradientExchange decides the format.
#pragma once
#include "bucket_plan.h"
#include "gpu.h"
#include "gradient_exchange.h"
#include "network.h"
#include "options.h"
#include "used_parameters.h"

#include <vector>

namespace ringside::trainer {

class GradientReducer final {
public:
    GradientReducer(const Options& options, const Network& network, ncclComm_t communicator,
                    cudaStream_t computeStream, const Hooks& hooks);

    /// Tensor `index` of the network is ready on the compute stream. Called in order, once per step for each.
    void ready(std::size_t index);
    /// Work queued on the compute stream afterwards sees the sums.
    void finish();

    [[nodiscard]] const std::vector<Bucket>& buckets() const { return m_buckets; }

private:
    /// Returns whether buckets are sent as soon as they are full.
    [[nodiscard]] bool overlaps() const { return m_hooks.overlap && !m_usedParameters.delays(m_passes); }

    const Hooks& m_hooks;
    ncclComm_t m_communicator;
    cudaStream_t m_computeStream;
    Stream m_communicationStream;
    std::vector<Bucket> m_buckets;
    std::unique_ptr<GradientExchange> m_exchange;
    UsedParameters m_usedParameters;
    std::uint64_t m_passes = 0; ///< number of finished passes
    std::size_t m_next = 0;     ///< the bucket to be reduced next
    Event m_gradientsReady;
    Event m_reduced;
};

} // namespace ringside::trainer
