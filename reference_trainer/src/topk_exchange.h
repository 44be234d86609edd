// SPDX-License-Identifier: Apache-2.0
// Each rank sends only the largest gradients of a bucket and keeps the others for the next step: sparsified
// SGD with memory (Stich, Cordonnier, Jaggi 2018), the gradient accumulation of deep gradient compression
// (Lin et al. 2017) without its momentum correction, clipping and warm-up. An all-gather replaces the
// all-reduce, because each rank has other largest gradients; a gradient costs 8 bytes in it, including its
// index.
#pragma once
#include "gradient_exchange.h"
#include "largest_values.h"

namespace ringside::trainer {

class TopkExchange final : public GradientExchange {
public:
    /// Sends `share` of a bucket's gradients, rounded, at least one.
    TopkExchange(double share, const Context& context);

    void exchange(const Bucket& bucket, cudaStream_t stream) override;

private:
    [[nodiscard]] unsigned wantedOf(std::size_t count) const;

    Context m_context;
    double m_share;
    int m_rank = 0;
    int m_ranks = 0;
    LargestValues m_largest;
    DeviceArray<float> m_kept;        ///< gradients that have not been sent yet
    DeviceArray<TopkEntry> m_entries; ///< of the largest bucket, rank by rank
};

} // namespace ringside::trainer
