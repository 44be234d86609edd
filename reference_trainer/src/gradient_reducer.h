// SPDX-License-Identifier: Apache-2.0
// DDP's reducer: as soon as the last gradient of a bucket is ready, the bucket's all-reduce starts on the
// communication stream, while backward goes on. Sums over the ranks; the optimizer divides. In which form the
// gradients travel, the exchange decides.
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

    /// Tensor `index` of the network is ready on the compute stream; in order, each once a step.
    void ready(std::size_t index);
    /// What is queued on the compute stream afterwards sees the sums.
    void finish();

    [[nodiscard]] const std::vector<Bucket>& buckets() const { return m_buckets; }

private:
    /// Whether buckets travel as soon as they are full.
    [[nodiscard]] bool overlaps() const { return m_hooks.overlap && !m_usedParameters.delays(m_passes); }

    const Hooks& m_hooks;
    ncclComm_t m_communicator;
    cudaStream_t m_computeStream;
    Stream m_communicationStream;
    std::vector<Bucket> m_buckets;
    std::unique_ptr<GradientExchange> m_exchange;
    UsedParameters m_usedParameters;
    std::uint64_t m_passes = 0; ///< finished since the start
    std::size_t m_next = 0;     ///< bucket to be reduced next
    Event m_gradientsReady;
    Event m_reduced;
};

} // namespace ringside::trainer
