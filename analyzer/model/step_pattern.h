// SPDX-License-Identifier: Apache-2.0
// Which repetition of a process's calls is a training step. Calls repeat on several scales: a layer's inside
// a batch, a batch's inside a step, steps between two evaluations. The search begins with the shortest scale
// and goes on to a longer one only for a reason that a step has: the optimizer did not yet run, calls of
// another kind (gradients after micro-batches), sizes that a bare repetition lacks, a pause longer than what
// repeats.
#pragma once
#include "model/repeated_events.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ringside::model {

enum class StepConfidence : std::uint8_t { Low, Medium, High };

/// What speaks for a pattern beside its own repetition.
struct StepWitnesses {
    bool optimizer = false;  ///< it ran once in each of the steps in which it was recorded
    bool pause = false;      ///< the longest time without a call lies before its first one, in most steps
    bool otherCalls = false; ///< it holds calls of a kind that the shorter repetitions inside it lack
};

struct StepPattern {
    std::vector<std::uint64_t> tokens; ///< of one step, from its first call on; empty: there is none
    StepWitnesses witnesses;
    StepConfidence confidence = StepConfidence::Low;
    bool inDoubt = false; ///< there is none, since two repetitions may both be the step
};

/// `tokens`: one an event. Looks at no more than the last quarter of a million.
[[nodiscard]] StepPattern findStepPattern(std::span<const RepeatedEvent> events,
                                          std::span<const std::uint64_t> tokens);

/// The same where somebody said how many calls a step makes; without tokens: calls do not repeat after so
/// many.
[[nodiscard]] StepPattern patternOfLength(std::span<const RepeatedEvent> events,
                                          std::span<const std::uint64_t> tokens, std::size_t length);

/// What a run's steps were found by.
struct PeriodFound {
    std::size_t calls = 0; ///< of one step, on the rank whose steps hold for the others
    StepWitnesses witnesses;
    StepConfidence confidence = StepConfidence::Low; ///< of the ranks counted apart the lowest
};

} // namespace ringside::model
