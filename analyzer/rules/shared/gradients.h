// SPDX-License-Identifier: Apache-2.0
// What several rules ask about the messages that gradients travel in: which they are, in which order they
// leave in a step, and how much of each nothing hides.
#pragma once
#include "rules/shared/support.h"

#include <map>

namespace ringside::rules {

inline const NotApplicable kNeedsGradients{
    "no gradient all-reduce or reduce-scatter over all ranks in the analyzed steps"};

/// The gradient messages of one rank in one step, in the order in which they start.
using StepMessages = std::vector<const metrics::OperationExposure*>;

[[nodiscard]] std::vector<StepMessages> gradientsByStep(const Context& context,
                                                        const metrics::RankMetrics& rank);

/// The messages at one place of the order, over all ranks and steps that have so many messages. Means.
struct Bucket {
    std::size_t place = 0; ///< from 0
    std::size_t of = 0;    ///< messages a step
    double bytes = 0;
    double exposedNs = 0;
    double exposedTransferNs = 0;
    double quietBeforeNs = 0; ///< no gradient message was on the rank's device before it; the first: 0
    double computeDone = 0;   ///< of the step's compute, when it starts
    double count = 0;         ///< what the means stand on
    const metrics::RankMetrics* worstRank = nullptr;
    const metrics::OperationExposure* worst = nullptr; ///< most exposed
};

/// How many gradient messages most steps have; 0: none have any.
[[nodiscard]] std::size_t messagesPerStep(const Context& context);

[[nodiscard]] std::vector<Bucket> bucketsOf(const Context& context);

/// "gradient message 2 of 3 (8.00 MiB), which starts when 61 % of the step's compute is done"
[[nodiscard]] std::string nameOf(const Bucket& bucket);

[[nodiscard]] Evidence evidence(const Context& context, const Bucket& bucket);

/// Exposed transfer of gradients, mean over ranks and steps: what fewer bytes could save.
[[nodiscard]] std::int64_t exposedGradientTransfer(const Context& context);

} // namespace ringside::rules
