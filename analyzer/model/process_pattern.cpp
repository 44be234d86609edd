// SPDX-License-Identifier: Apache-2.0
#include "model/process_pattern.h"

#include <algorithm>

namespace ringside::model {
namespace {

/// Returns the share of all events that lies in copies.
double coveredShare(const std::vector<Stretch>& copies, std::size_t events)
{
    std::size_t covered = 0;
    for (const Stretch& copy : copies) {
        covered += copy.end - copy.first;
    }
    return static_cast<double>(covered) / static_cast<double>(std::max<std::size_t>(1, events));
}

/// Returns whether the events lie at different times. Events of a log that only has their order do not, and
/// would give steps without a length.
bool haveTimes(const std::vector<RepeatedEvent>& events)
{
    return std::ranges::any_of(
        events, [&](const RepeatedEvent& event) { return event.time.start != events.front().time.start; });
}

/// Rotates a pattern whose begin was found by another rank's pauses, so that it begins after the longest
/// pause of this rank.
void beginAtOwnPause(const std::vector<RepeatedEvent>& events, const std::vector<Stretch>& copies,
                     StepPattern& step)
{
    std::vector<std::vector<std::int64_t>> pauses(step.tokens.size());
    for (const Stretch& copy : copies) {
        const bool whole = copy.end - copy.first == step.tokens.size();
        for (std::size_t place = 0; whole && place < step.tokens.size(); ++place) {
            const std::size_t at = copy.first + place;
            pauses[place].push_back(at == 0 ? 0 : events[at].time.start - events[at - 1].time.end);
        }
    }
    std::size_t best = 0;
    for (std::size_t place = 1; place < pauses.size(); ++place) {
        best = median(pauses[place]) > median(pauses[best]) ? place : best;
    }
    std::ranges::rotate(step.tokens, step.tokens.begin() + static_cast<std::ptrdiff_t>(best));
}

/// Returns whether the evidence for a pattern is enough. Patterns without sizes need evidence besides their
/// repetition, because less is known of each call.
bool isEnough(const ProcessPattern& pattern)
{
    return pattern.kind != TokenKind::FunctionAndGroup || pattern.step.confidence != StepConfidence::Low;
}

constexpr double kLeastCovered = 0.5; ///< share of all events that a pattern's copies have to cover

/// Finds a pattern of the length that the user gave, with the first kind of tokens by which calls repeat so.
ProcessPattern findPatternOfLength(const std::vector<RepeatedEvent>& events, std::size_t length)
{
    for (const TokenKind kind : {TokenKind::Everything, TokenKind::Size, TokenKind::FunctionAndGroup}) {
        const std::vector<std::uint64_t> tokens = tokensOf(events, kind);
        ProcessPattern pattern{kind, patternOfLength(events, tokens, length)};
        if (coveredShare(findCopies(tokens, pattern.step.tokens), events.size()) >= kLeastCovered) {
            return pattern;
        }
    }
    return {};
}

ProcessPattern findPattern(const std::vector<RepeatedEvent>& events)
{
    for (const TokenKind kind :
         {TokenKind::Everything, TokenKind::Size, TokenKind::WithOptimizer, TokenKind::FunctionAndGroup}) {
        const std::vector<std::uint64_t> tokens = tokensOf(events, kind);
        ProcessPattern pattern{kind, findStepPattern(events, tokens)};
        if (pattern.step.inDoubt) {
            return {};
        }
        if (coveredShare(findCopies(tokens, pattern.step.tokens), events.size()) >= kLeastCovered &&
            isEnough(pattern)) {
            return pattern;
        }
    }
    return {};
}

} // namespace

std::vector<std::uint64_t> tokensOf(std::span<const RepeatedEvent> events, TokenKind kind)
{
    constexpr std::uint64_t kMarks = 3;
    std::vector<std::uint64_t> tokens(events.size());
    std::ranges::transform(events, tokens.begin(), [kind](const RepeatedEvent& event) {
        switch (kind) {
        case TokenKind::Everything:
            return event.fullToken;
        case TokenKind::Size:
            return event.token;
        case TokenKind::WithOptimizer:
            return event.token * kMarks + (event.optimizerBefore ? 1U : 0U);
        case TokenKind::FunctionAndGroup:
            break;
        }
        return event.kind;
    });
    return tokens;
}

ProcessPattern KnownPatterns::of(const std::vector<RepeatedEvent>& events)
{
    constexpr double kNearlyAll = 0.9;
    if (!haveTimes(events)) {
        return {};
    }
    for (ProcessPattern pattern : m_known) {
        const auto copies = findCopies(tokensOf(events, pattern.kind), pattern.step.tokens);
        if (coveredShare(copies, events.size()) >= kNearlyAll) {
            if (!pattern.step.witnesses.optimizer) {
                beginAtOwnPause(events, copies, pattern.step);
            }
            return pattern;
        }
    }
    constexpr std::size_t kMostKnown = 16; // a limit, as each pattern is tried on every rank
    ProcessPattern pattern = m_calls > 0 ? findPatternOfLength(events, m_calls) : findPattern(events);
    if (!pattern.step.tokens.empty() && m_known.size() < kMostKnown) {
        m_known.push_back(pattern);
    }
    return pattern;
}

} // namespace ringside::model
