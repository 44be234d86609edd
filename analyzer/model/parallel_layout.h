// SPDX-License-Identifier: Apache-2.0
// The dimensions in which a job is parallel, and each rank's place in them. They are found from which ranks
// communicate and how, or given by the user. Ranks of one stage do the same work and are called peers; only
// peers are compared with each other.
#pragma once
#include "model/rank.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::model {

/// The number of ranks in each dimension. In what the user gave, 0 stands for a size that was not given.
struct ParallelSizes {
    std::int64_t tensor = 0;
    std::int64_t context = 0;
    std::int64_t expert = 0;
    std::int64_t data = 0;
    std::int64_t pipeline = 0;
    [[nodiscard]] bool isGiven() const { return tensor + context + expert + data + pipeline > 0; }
};

/// Parses sizes such as "tp=8,pp=4"; the names are tp, cp, ep, dp and pp. Throws ringside::Error (Usage) for
/// other text.
[[nodiscard]] ParallelSizes parseParallel(std::string_view text);

/// A rank's place in each dimension, counted from 1. Null if the job is not parallel in that dimension, or if
/// it is not known.
struct ParallelPlace {
    std::optional<std::int64_t> stage;
    std::optional<std::int64_t> replica;
    std::optional<std::int64_t> tensor;
    std::optional<std::int64_t> context;
    std::optional<std::int64_t> expert;
};

struct ParallelLayout {
    bool given = false; ///< the user gave the sizes
    ParallelSizes sizes{1, 1, 1, 1, 1};
    std::vector<ParallelPlace> places; ///< in the order of Model::ranks; empty if the layout is not known

    [[nodiscard]] bool isKnown() const { return !places.empty(); }
    /// Returns a rank's place as text, such as "stage 3 of 4, replica 2 of 8". Returns an empty string if the
    /// layout is not known.
    [[nodiscard]] std::string nameOf(std::size_t rank) const;
    /// Returns whether two different ranks do the same work: they are of one stage, or there are no stages.
    [[nodiscard]] bool arePeers(std::size_t rank, std::size_t other) const
    {
        return rank != other && (!isKnown() || places[rank].stage == places[other].stage);
    }
};

/// Returns the layout of all ranks of a job for sizes that the user gave. Ranks are numbered as in Megatron
/// and in PyTorch's device meshes: tensor places change fastest, then context, then replicas, and stages
/// change slowest. Experts are spread over replicas. Throws ringside::Error (Usage) if the sizes do not
/// divide the job.
[[nodiscard]] ParallelLayout givenLayout(const std::vector<Rank>& ranks, std::int64_t worldSize,
                                         const ParallelSizes& sizes);

} // namespace ringside::model
