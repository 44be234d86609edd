// SPDX-License-Identifier: Apache-2.0
// Finds the gradient messages of each step, their order, and how much of each is exposed.
#pragma once
#include "rules/shared/support.h"
#include "words/gradients.h"

#include <map>

namespace ringside::rules {

inline const NotApplicable kNeedsGradients{words::gradients::needs_gradients};

/// The gradient messages of one rank in one step, in the order in which they start.
using StepMessages = std::vector<const metrics::OperationExposure*>;

[[nodiscard]] std::vector<StepMessages> gradientsByStep(const Context& context,
                                                        const metrics::RankMetrics& rank);

/// The messages at one position of a step, over all ranks and steps that have the usual number of messages.
/// Values are means.
struct Bucket {
    std::size_t place = 0; ///< from 0
    std::size_t of = 0;    ///< number of messages per step
    double bytes = 0;
    double exposedNs = 0;
    double exposedTransferNs = 0;
    double quietBeforeNs = 0; ///< how long the device ran no gradient message before it; 0 for the first
    double computeDone = 0;   ///< share of the step's compute that is done when it starts
    double count = 0;         ///< number of messages in the means
    const metrics::RankMetrics* worstRank = nullptr;
    const metrics::OperationExposure* worst = nullptr; ///< most exposed
};

/// Returns the most frequent number of gradient messages per step, or 0 if there are none.
[[nodiscard]] std::size_t messagesPerStep(const Context& context);

[[nodiscard]] std::vector<Bucket> bucketsOf(const Context& context);

/// "gradient message 2 of 3 (8.00 MiB), which starts when 61 % of the step's compute is done"
[[nodiscard]] words::Text nameOf(const Bucket& bucket);

[[nodiscard]] Evidence evidence(const Context& context, const Bucket& bucket);

/// Returns the exposed transfer of gradients in ns per step, mean over ranks and steps: the upper limit of
/// what fewer bytes could save.
[[nodiscard]] std::int64_t exposedGradientTransfer(const Context& context);

} // namespace ringside::rules
