// SPDX-License-Identifier: Apache-2.0
// The changes of `ringside whatif`, each applied to a plan. A change that the recorded data cannot support is
// refused with the reason, never guessed.
#pragma once
#include "whatif/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::whatif {

/// Multiplies bandwidth or latency of some links.
struct LinkChange {
    /// empty: all; "intra-host", "inter-host"; else the first digits of a communicator's hash
    std::string where;
    double factor = 1;
};

struct Changes {
    bool noLateRanks = false;
    std::vector<std::int64_t> medianRanks = {}; ///< make only these ranks as fast as the median
    bool fullOverlap = false;
    std::vector<LinkChange> bandwidth = {};
    std::vector<LinkChange> latency = {};
    std::optional<std::uint64_t> bucketBytes = {};
    bool wholeMessages = false; ///< buckets join recorded messages but split none
    std::string gradients = {}; ///< "fp16", "bf16"; empty: as recorded
    unsigned accumulate = 1;
    bool noDataStalls = false;
    bool noBlockingCalls = false;
    bool noUsedMaps = false; ///< find_unused_parameters off
    /// number of reductions of the gradients in a step, of which only the last one stays
    unsigned lastReductionOf = 1;
    bool equalBatches = false; ///< batches of equal length: variation is common to all ranks
    std::optional<std::int64_t> ranks = {};

    [[nodiscard]] bool any() const;
    [[nodiscard]] std::vector<std::string> describe() const; ///< a few words for each change
};

/// Parses "x2", "inter-host=x2", "3fa9=x0.5"; throws ringside::Error (Usage).
[[nodiscard]] LinkChange parseLinkChange(std::string_view text);

/// Assumptions of a change, for the reader.
struct Assumptions {
    std::vector<std::string> lines;
    std::vector<std::string> beyond; ///< facts that the run does not tell, so that the prediction is a guess
    bool split = false;              ///< recorded messages were split into buckets that tensors may not allow
};

/// Throws ringside::Error: Usage for something that the run does not have, Unusable for something that it did
/// not record.
void apply(Plan& plan, const Changes& changes, Assumptions& assumptions);

/// Replaces the gradient messages by buckets of Changes::bucketBytes; see changes_buckets.cpp.
void changeBuckets(Plan& plan, const Changes& changes, Assumptions& assumptions);

/// Makes all ranks, or those that Changes names, as fast as the median; see changes_late_ranks.cpp.
void levelRanks(Plan& plan, const Changes& changes);

/// See changes_left_out.cpp. They throw ringside::Error (Unusable) if the run has nothing to remove.
void removeBlockingCalls(Plan& plan);
void removeUsedMaps(Plan& plan);
void keepLastReduction(Plan& plan, unsigned times);
void equalizeBatches(Plan& plan);

/// The rank that would get the most work from batches of equal length, and how much per step, ns.
struct SharedWork {
    std::int64_t rank = 0;
    double ns = 0;
};
[[nodiscard]] SharedWork mostSharedWork(const Plan& plan);

} // namespace ringside::whatif
