// SPDX-License-Identifier: Apache-2.0
// Decides which gradients share an all-reduce, by DDP's rule: tensors in the order in which their gradients
// become ready are gathered until a bucket reaches its limit. A tensor is never split, so that a bucket may
// exceed it.
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

/// Returns DDP's limits for a cap in MiB: the first bucket is small, so that communication starts early.
[[nodiscard]] BucketLimits limitsForCap(double capMb);

/// `tensorBytes` is in ready order, the reverse of the model's order. Every tensor is in exactly one bucket.
[[nodiscard]] std::vector<Bucket> planBuckets(std::span<const std::size_t> tensorBytes, BucketLimits limits);

} // namespace ringside::trainer
