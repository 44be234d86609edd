// SPDX-License-Identifier: Apache-2.0
#include "model/step_pattern.h"

#include "model/call_cycle.h"

#include <algorithm>

namespace ringside::model {
namespace {

/// If the optimizer ran before a larger share of the events, it runs within backward and does not show steps.
constexpr double kMostOptimized = 0.5;
constexpr double kEachTime = 0.8;                ///< share of occurrences that counts as every occurrence
constexpr std::size_t kMostLookedAt = 1U << 18U; ///< number of events, the last ones

/// Returns whether runs of the optimizer show where steps lie: there are at least three, and not too many.
bool tellsSteps(std::span<const RepeatedEvent> events)
{
    constexpr std::ptrdiff_t kLeast = 3;
    const auto runs = std::ranges::count_if(events, &RepeatedEvent::optimizerBefore);
    return runs >= kLeast && static_cast<double>(runs) <= kMostOptimized * static_cast<double>(events.size());
}

/// The scales on which one sequence repeats, the shortest first.
class Scales final {
public:
    explicit Scales(const CallSequence& sequence)
    {
        const StretchHashes hashes(sequence.tokens);
        for (const Repetition& repetition : findRepetitions(sequence.tokens)) {
            m_cycles.emplace_back(sequence, hashes, repetition);
        }
    }

    /// Returns the shortest cycle in which the optimizer runs every time, or null if there is none.
    [[nodiscard]] const CallCycle* withOptimizer() const
    {
        const auto found = std::ranges::find_if(
            m_cycles, [](const CallCycle& cycle) { return cycle.optimizerShare() >= kEachTime; });
        return found != m_cycles.end() ? &*found : nullptr;
    }

    /// Returns the cycle that is a step, by the calls and their times alone. Returns null if nothing repeats.
    [[nodiscard]] const CallCycle* byReason(StepWitnesses& witnesses) const
    {
        const CallCycle* step = nullptr;
        for (const CallCycle& cycle : m_cycles) {
            if (step == nullptr || isPartOf(*step, cycle)) {
                witnesses.otherCalls = step != nullptr && cycle.hasOtherKinds(*step);
                step = &cycle;
            }
        }
        return step;
    }

    /// Returns whether a longer repetition may be the step as well: it has a clearer pause; or nothing shows
    /// where this one begins, and either a longer rhythm is visible in its times or a few bytes (a norm of
    /// gradients, a loss) are exchanged only in the longer one.
    [[nodiscard]] bool isInDoubt(const CallCycle& step) const
    {
        constexpr std::size_t kLeastCalls = 3; // pauses in shorter cycles show nothing
        const bool begins = step.pausesAtOnePlace() && step.reduces();
        return (!begins && step.hasLongerRhythm()) ||
               std::ranges::any_of(m_cycles, [&](const CallCycle& longer) {
                   return longer.length() > step.length() &&
                          ((longer.pausesAtOnePlace() &&
                            longer.longestPauseNs() >= kFar * step.longestPauseNs()) ||
                           (!begins && step.length() >= kLeastCalls && longer.hasOtherFewBytes(step)));
               });
    }

private:
    /// Returns whether `part` cannot be a step because `whole` repeats, too. Steps between two evaluations
    /// also repeat, but must not be taken for one step: they have no pause that single steps lack, and the
    /// additional calls follow whole steps, which are repetitions of layers themselves.
    [[nodiscard]] bool isPartOf(const CallCycle& part, const CallCycle& whole) const
    {
        if (whole.longestPauseNs() > kFar * part.durationNs()) {
            return true;
        }
        if (whole.hasOtherReductions(part)) {
            return true;
        }
        if (part.pausesAtOnePlace() && whole.longestPauseNs() < kFar * part.longestPauseNs()) {
            return false;
        }
        const bool bare = std::ranges::none_of(
            m_cycles, [&](const CallCycle& inner) { return part.repeatsInside(inner.length()); });
        return whole.hasOtherKinds(part) || (bare && whole.hasOtherSizes(part));
    }

    static constexpr std::int64_t kFar = 2; ///< a pause this many times as long counts as clearly longer

    std::vector<CallCycle> m_cycles;
};

StepConfidence confidenceOf(const StepWitnesses& witnesses)
{
    return witnesses.optimizer                       ? StepConfidence::High
           : witnesses.pause || witnesses.otherCalls ? StepConfidence::Medium
                                                     : StepConfidence::Low;
}

StepPattern patternOf(const CallSequence& sequence)
{
    StepPattern pattern;
    const Scales scales(sequence);
    StepWitnesses& witnesses = pattern.witnesses;
    witnesses.optimizer = tellsSteps(sequence.events);
    const CallCycle* const step = witnesses.optimizer ? scales.withOptimizer() : scales.byReason(witnesses);
    witnesses.optimizer = step != nullptr && step->optimizerShare() >= kEachTime;
    pattern.inDoubt = step != nullptr && !witnesses.optimizer && scales.isInDoubt(*step);
    if (step != nullptr && !pattern.inDoubt) {
        witnesses.pause = step->pausesAtOnePlace();
        pattern.tokens = step->fromItsBegin();
        pattern.confidence = confidenceOf(witnesses);
    }
    return pattern;
}

} // namespace

StepPattern patternOfLength(std::span<const RepeatedEvent> events, std::span<const std::uint64_t> tokens,
                            std::size_t length)
{
    const std::size_t count = std::min(events.size(), kMostLookedAt);
    const CallSequence sequence{events.last(count), tokens.last(count)};
    const StretchHashes hashes(sequence.tokens);
    StepPattern pattern;
    if (const auto repetition = findRepetition(hashes, count, length)) {
        pattern.tokens = CallCycle(sequence, hashes, *repetition).fromItsBegin();
    }
    return pattern;
}

StepPattern findStepPattern(std::span<const RepeatedEvent> events, std::span<const std::uint64_t> tokens)
{
    constexpr std::size_t kFirstLook = 1U << 12U;
    constexpr std::size_t kEnough = 512; // number of cycles: four steps of 128 micro-batches
    for (std::size_t look = kFirstLook;; look *= 4) {
        const std::size_t count = std::min({look, events.size(), kMostLookedAt});
        // The last events are used, because the first may be set-up broadcasts that no step repeats.
        StepPattern pattern = patternOf({events.last(count), tokens.last(count)});
        const bool enough = !pattern.tokens.empty() && pattern.confidence != StepConfidence::Low &&
                            pattern.tokens.size() * kEnough <= count;
        if (enough || count == events.size() || count == kMostLookedAt) {
            return pattern;
        }
    }
}

} // namespace ringside::model
