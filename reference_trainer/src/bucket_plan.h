// SPDX-License-Identifier: Apache-2.0
// Which gradients share an all-reduce. The rule is DDP's: tensors in the order their gradients become ready
// are gathered until a bucket reaches its limit; a tensor is never split, so a bucket may exceed it.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace ringside::trainer {

/// Tensors [first, last) of the ready order.
struct Bucket {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t bytes = 0;
};

struct BucketLimits {
    std::size_t firstBytes = 1U << 20;
    std::size_t bytes = 25U << 20;
};

/// DDP's limits for a cap in MiB: a small first bucket, so that communication starts early.
[[nodiscard]] BucketLimits limitsForCap(double capMb);

/// `tensorBytes` in ready order, that is the reverse of the model's. Every tensor is in exactly one bucket.
[[nodiscard]] std::vector<Bucket> planBuckets(std::span<const std::size_t> tensorBytes, BucketLimits limits);

} // namespace ringside::trainer
