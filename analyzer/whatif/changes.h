// SPDX-License-Identifier: Apache-2.0
// What a run could have been: the changes of `ringside whatif`, each applied to a plan. What the recording
// does not bear out is refused with the reason, never guessed.
#pragma once
#include "whatif/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::whatif {

/// Times K for some links.
struct LinkChange {
    std::string where; ///< empty: all; "intra-host", "inter-host"; else how a communicator's hash begins
    double factor = 1;
};

struct Changes {
    bool noLateRanks = false;
    std::vector<std::int64_t> medianRanks = {}; ///< as fast as the median, these ranks only
    bool fullOverlap = false;
    std::vector<LinkChange> bandwidth = {};
    std::vector<LinkChange> latency = {};
    std::optional<std::uint64_t> bucketBytes = {};
    bool wholeMessages = false; ///< buckets join recorded messages, but split none
    std::string gradients = {}; ///< "fp16", "bf16"; empty: as recorded
    unsigned accumulate = 1;
    bool noDataStalls = false;
    bool noBlockingCalls = false;
    bool noUsedMaps = false;      ///< find_unused_parameters off
    unsigned lastReductionOf = 1; ///< a step reduces its gradients so often; only the last one stays
    bool equalBatches = false;    ///< all ranks' steps grow together, not one rank's at a time
    std::optional<std::int64_t> ranks = {};

    [[nodiscard]] bool any() const;
    [[nodiscard]] std::vector<std::string> describe() const; ///< a few words for each
};

/// Parses "x2", "inter-host=x2", "3fa9=x0.5"; throws ringside::Error (Usage).
[[nodiscard]] LinkChange parseLinkChange(std::string_view text);

/// What a change had to assume, for the reader.
struct Assumptions {
    std::vector<std::string> lines;
    std::vector<std::string> beyond; ///< what the run does not tell, so that the prediction is a guess there
    bool split = false;              ///< recorded messages, into buckets that tensors may not allow
};

/// Throws ringside::Error: Usage for what the run does not have, Unusable for what it did not record.
void apply(Plan& plan, const Changes& changes, Assumptions& assumptions);

/// Replaces the gradient messages by buckets of Changes::bucketBytes; see changes_buckets.cpp.
void changeBuckets(Plan& plan, const Changes& changes, Assumptions& assumptions);

/// Makes the ranks that Changes names, or all, as fast as the median; see changes_late_ranks.cpp.
void levelRanks(Plan& plan, const Changes& changes);

/// See changes_left_out.cpp. They throw ringside::Error (Unusable) where there is nothing of it in the run.
void removeBlockingCalls(Plan& plan);
void removeUsedMaps(Plan& plan);
void keepLastReduction(Plan& plan, unsigned times);
void equalizeBatches(Plan& plan);

/// Who gets most work where batches are made equal, and how much a step, ns.
struct SharedWork {
    std::int64_t rank = 0;
    double ns = 0;
};
[[nodiscard]] SharedWork mostSharedWork(const Plan& plan);

} // namespace ringside::whatif
