// SPDX-License-Identifier: Apache-2.0
// Of each bucket a rank sends its largest gradients only, and keeps the others for the next step: sparsified
// SGD with memory (Stich, Cordonnier, Jaggi 2018), the gradient accumulation of deep gradient compression
// (Lin et al. 2017) without that paper's momentum correction, clipping and warm-up. An all-gather takes the
// place of the all-reduce, since each rank's largest are others; a gradient costs 8 bytes in it, its place
// included.
#pragma once
#include "gradient_exchange.h"
#include "largest_values.h"

namespace ringside::trainer {

class TopkExchange final : public GradientExchange {
public:
    /// `share` of a bucket's gradients travels, rounded, at least one.
    TopkExchange(double share, const Surroundings& around);

    void exchange(const Bucket& bucket, cudaStream_t stream) override;

private:
    [[nodiscard]] unsigned wantedOf(std::size_t count) const;

    Surroundings m_around;
    double m_share;
    int m_rank = 0;
    int m_ranks = 0;
    LargestValues m_largest;
    DeviceArray<float> m_kept;        ///< what has not been sent yet
    DeviceArray<TopkEntry> m_entries; ///< of the largest bucket, a rank after the other
};

} // namespace ringside::trainer
