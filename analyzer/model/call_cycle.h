// SPDX-License-Identifier: Apache-2.0
// One of a process's repetitions: what its cycle holds, where it was met unchanged, and how long the host
// paused before each of its calls.
#pragma once
#include "model/repeated_events.h"
#include "model/repetition.h"

#include <span>
#include <vector>

namespace ringside::model {

/// Calls with a token each, as far as the search looks.
struct CallSequence {
    std::span<const RepeatedEvent> events;
    std::span<const std::uint64_t> tokens;
};

class CallCycle final {
public:
    CallCycle(const CallSequence& sequence, const StretchHashes& hashes, const Repetition& repetition);

    [[nodiscard]] std::size_t length() const { return m_length; }
    [[nodiscard]] std::size_t count() const { return m_begins.size(); }
    /// Calls of a kind that `other` lacks, a few bytes aside.
    [[nodiscard]] bool hasOtherKinds(const CallCycle& other) const;
    /// And they reduce: gradients, say.
    [[nodiscard]] bool hasOtherReductions(const CallCycle& other) const;
    /// Calls of a size that `other` lacks, a few bytes aside.
    [[nodiscard]] bool hasOtherSizes(const CallCycle& other) const;
    /// Calls of a few bytes that `other` lacks.
    [[nodiscard]] bool hasOtherFewBytes(const CallCycle& other) const;
    /// Whether most of it is repetition of the same few calls.
    [[nodiscard]] bool repeatsInside(std::size_t length) const;
    /// Usual time of its longest pause.
    [[nodiscard]] std::int64_t longestPauseNs() const { return m_pausesNs[m_longest]; }
    /// Usual time from begin to begin.
    [[nodiscard]] std::int64_t durationNs() const { return m_durationNs; }
    /// Whether in most of its occurrences the longest pause lies before the same call. Of two calls it
    /// always does.
    [[nodiscard]] bool pausesAtOnePlace() const;
    [[nodiscard]] bool reduces() const;
    /// Share of its occurrences, among those that the optimizer's recording spans, in which it ran.
    [[nodiscard]] double optimizerShare() const;
    /// Whether now and then, at equal distances, one of them takes far longer than usual.
    [[nodiscard]] bool hasLongerRhythm() const;
    /// Its tokens from the first call after the optimizer on, else after the longest pause.
    [[nodiscard]] std::vector<std::uint64_t> fromItsBegin() const;

private:
    void measurePauses();
    void findBegin();
    [[nodiscard]] bool holds(bool RepeatedEvent::*which, bool wanted, std::uint64_t RepeatedEvent::*what,
                             const CallCycle& other) const;

    CallSequence m_sequence;
    std::size_t m_first;
    std::size_t m_length;
    std::vector<std::size_t> m_begins;      ///< of occurrences, none over the other
    std::vector<std::int64_t> m_pausesNs;   ///< before each call, median
    std::vector<std::size_t> m_optimizerAt; ///< how often it ran before each call
    std::size_t m_longest = 0;              ///< place of the longest pause
    std::size_t m_begin = 0;                ///< place of the step's first call in the cycle
    std::int64_t m_durationNs = 0;
};

} // namespace ringside::model
