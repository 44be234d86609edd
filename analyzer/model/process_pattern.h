// SPDX-License-Identifier: Apache-2.0
// A process's step pattern, by as much of its calls as repeats: with sizes, or without where they differ from
// step to step (sequences of any length, experts). Ranks of a job mostly call the same, so what was found for
// one is tried on the next.
#pragma once
#include "model/pattern_cuts.h"
#include "model/repeated_events.h"
#include "model/step_pattern.h"

#include <span>
#include <vector>

namespace ringside::model {

/// By what two calls are the same.
enum class TokenKind : std::uint8_t {
    Everything,      ///< that is known of them
    Size,            ///< not by kernels launched before them
    WithOptimizer,   ///< also by whether the optimizer ran before them
    FunctionAndGroup ///< whatever their sizes
};

[[nodiscard]] std::vector<std::uint64_t> tokensOf(std::span<const RepeatedEvent> events, TokenKind kind);

struct ProcessPattern {
    TokenKind kind = TokenKind::Everything;
    StepPattern step; ///< without tokens: none was found
};

class KnownPatterns final {
public:
    /// `calls`: of a step, where somebody said so; 0: to be found.
    explicit KnownPatterns(std::size_t calls) : m_calls(calls) {}
    [[nodiscard]] ProcessPattern of(const std::vector<RepeatedEvent>& events);

private:
    std::size_t m_calls;
    std::vector<ProcessPattern> m_known;
};

} // namespace ringside::model
