// SPDX-License-Identifier: Apache-2.0
// Finds the step pattern of a process. Calls are compared with their sizes, or without them if sizes differ
// from step to step (sequences of varying length, experts). Ranks of a job mostly make the same calls, so
// that a pattern that was found for one rank is tried first on the next.
#pragma once
#include "model/pattern_cuts.h"
#include "model/repeated_events.h"
#include "model/step_pattern.h"

#include <span>
#include <vector>

namespace ringside::model {

/// What has to be equal for two calls to count as the same.
enum class TokenKind : std::uint8_t {
    Everything,      ///< function, communicator and size; if the size is not known, kernels launched before
    Size,            ///< function, communicator and size
    WithOptimizer,   ///< the same as for Size, and whether the optimizer ran before the call
    FunctionAndGroup ///< function and communicator
};

/// Returns one token for each event. Two events are the same by `kind` if their tokens are equal.
[[nodiscard]] std::vector<std::uint64_t> tokensOf(std::span<const RepeatedEvent> events, TokenKind kind);

struct ProcessPattern {
    TokenKind kind = TokenKind::Everything;
    StepPattern step; ///< has no tokens if none was found
};

class KnownPatterns final {
public:
    /// `calls` is the number of calls in a step if the user gave it, or 0 if it has to be found.
    explicit KnownPatterns(std::size_t calls) : m_calls(calls) {}
    /// Returns the pattern of one process, and keeps it for the processes that follow.
    [[nodiscard]] ProcessPattern of(const std::vector<RepeatedEvent>& events);

private:
    std::size_t m_calls;
    std::vector<ProcessPattern> m_known;
};

} // namespace ringside::model
