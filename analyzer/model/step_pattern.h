// SPDX-License-Identifier: Apache-2.0
// Decides which repetition of a process's calls is a training step. Calls repeat on several scales: those of
// a layer inside a batch, those of a batch inside a step, and steps between two evaluations. The search
// begins with the shortest scale and takes a longer one only if the shorter cannot be a step: the optimizer
// did not run in it, the longer one has calls of another kind (gradients after micro-batches) or of other
// sizes, or it has a pause that is longer than the shorter repetition.
#pragma once
#include "model/repeated_events.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ringside::model {

enum class StepConfidence : std::uint8_t { Low, Medium, High };

/// The evidence for a pattern besides its repetition.
struct StepWitnesses {
    bool optimizer = false;  ///< the optimizer ran in at least 80 % of the steps during its recording
    bool pause = false;      ///< the longest time without a call lies at the same place in most steps
    bool otherCalls = false; ///< the step has calls of a kind that the shorter repetition inside it lacks
};

struct StepPattern {
    std::vector<std::uint64_t> tokens; ///< of one step, from its first call on; empty if none was found
    StepWitnesses witnesses;
    StepConfidence confidence = StepConfidence::Low;
    bool inDoubt = false; ///< none was chosen because either of two repetitions may be the step
};

/// Finds the pattern of a step. `tokens` holds one token for each event. At most the last 2^18 events are
/// looked at.
[[nodiscard]] StepPattern findStepPattern(std::span<const RepeatedEvent> events,
                                          std::span<const std::uint64_t> tokens);

/// Finds the pattern of a step whose number of calls the user gave. The result has no tokens if calls do not
/// repeat after that many.
[[nodiscard]] StepPattern patternOfLength(std::span<const RepeatedEvent> events,
                                          std::span<const std::uint64_t> tokens, std::size_t length);

/// How a run's steps were found by their period.
struct PeriodFound {
    std::size_t calls = 0; ///< calls of one step, on the rank whose steps apply to the others
    StepWitnesses witnesses;
    StepConfidence confidence = StepConfidence::Low; ///< the lowest, if some ranks are numbered separately
};

} // namespace ringside::model
