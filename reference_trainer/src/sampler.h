// SPDX-License-Identifier: Apache-2.0
// Chooses the samples of a rank by DistributedSampler's rule: every epoch is one permutation, and rank r of N
// gets its entries r, r + N, r + 2N, ... In each step, N ranks with batch B/N see the samples that one rank
// with batch B sees.
#pragma once
#include <cstdint>
#include <vector>

namespace ringside::trainer {

class DistributedSampler final {
public:
    struct Shape {
        std::uint64_t samples = 0; ///< size of the data set
        unsigned globalBatch = 0;  ///< over all ranks; a multiple of worldSize, at most `samples`
        unsigned rank = 0;
        unsigned worldSize = 1;
        std::uint64_t seed = 0;
    };

    explicit DistributedSampler(Shape shape);

    /// Returns this rank's sample indices in a step, counted from 0. Entries left over at the end of an epoch
    /// are dropped.
    [[nodiscard]] std::vector<std::uint64_t> indices(std::uint64_t step);

private:
    void shuffle(std::uint64_t epoch);

    Shape m_shape;
    std::uint64_t m_epoch = 0;
    std::vector<std::uint64_t> m_permutation;
};

} // namespace ringside::trainer
