// SPDX-License-Identifier: Apache-2.0
// Sums a bucket's gradients over all ranks, in one of several formats.
#pragma once
#include "bucket_plan.h"
#include "gradient_format.h"
#include "hooks.h"
#include "network.h"

#include <memory>
#include <vector>

namespace ringside::trainer {

class GradientExchange {
public:
    /// What every format needs.
    struct Context {
        const Network& network;
        const std::vector<Bucket>& buckets;
        ncclComm_t communicator;
        const Hooks& hooks; ///< must outlive the exchange
    };

    GradientExchange() = default;
    GradientExchange(const GradientExchange&) = delete;
    GradientExchange& operator=(const GradientExchange&) = delete;
    virtual ~GradientExchange() = default;

    /// Queues the exchange on the stream, in place. Afterwards the gradients have the same bits on all ranks.
    virtual void exchange(const Bucket& bucket, cudaStream_t stream) = 0;
};

[[nodiscard]] std::unique_ptr<GradientExchange> makeExchange(const GradientFormat& format,
                                                             const GradientExchange::Context& context);

} // namespace ringside::trainer
