// SPDX-License-Identifier: Apache-2.0
// In which ways a job is parallel, and which place each rank has: found by who talks with whom and how, or
// said by the user. Ranks of one stage that do the same work are peers: only they are compared.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::model {

struct Model;

/// What the user says, ranks in each dimension; 0: not said.
struct ParallelSizes {
    std::int64_t tensor = 0;
    std::int64_t context = 0;
    std::int64_t expert = 0;
    std::int64_t data = 0;
    std::int64_t pipeline = 0;
    [[nodiscard]] bool isTold() const { return tensor + context + expert + data + pipeline > 0; }
};

/// "tp=8,pp=4", of tp, cp, ep, dp and pp; throws ringside::Error (Usage).
[[nodiscard]] ParallelSizes parseParallel(std::string_view text);

/// A rank's numbers, counted from 1; null: the job is not parallel in this way, or it is not known.
struct ParallelPlace {
    std::optional<std::int64_t> stage;
    std::optional<std::int64_t> replica;
    std::optional<std::int64_t> tensor;
    std::optional<std::int64_t> context;
    std::optional<std::int64_t> expert;
};

struct ParallelLayout {
    bool told = false; ///< by the user
    ParallelSizes sizes{1, 1, 1, 1, 1};
    std::vector<ParallelPlace> places; ///< by Model::ranks; empty: nothing is known

    [[nodiscard]] bool isKnown() const { return !places.empty(); }
    /// "stage 3 of 4, replica 2 of 8"; empty: not known.
    [[nodiscard]] std::string nameOf(std::size_t rank) const;
    /// Others that do the same work: of its stage, or all where there are no stages.
    [[nodiscard]] bool arePeers(std::size_t rank, std::size_t other) const
    {
        return rank != other && (!isKnown() || places[rank].stage == places[other].stage);
    }
};

/// Ranks count as in Megatron and in PyTorch's device meshes: tensor places fastest, then context, replicas,
/// and stages slowest; experts are spread over replicas. Throws ringside::Error (Usage) where sizes that the
/// user gave do not divide the job.
[[nodiscard]] ParallelLayout toldLayout(const Model& model, const ParallelSizes& sizes);

/// By messages (pipelines), all-to-alls (experts) and how often a group meets (tensors). Nothing is known
/// where every rank only talks with all others, or where ranks are missing.
[[nodiscard]] ParallelLayout findLayout(const Model& model);

} // namespace ringside::model
