// SPDX-License-Identifier: Apache-2.0
// Describes one repetition in a process's calls: which calls its cycle holds, where unchanged copies of the
// cycle lie, and how long the host paused before each call.
#pragma once
#include "model/repeated_events.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ringside::model {

// Finds the lengths after which a sequence repeats itself, on all scales: the calls of a layer, of a batch,
// of a step, of the steps between two evaluations. It looks at ever longer contexts (1, 2, 4... tokens), and
// for each finds how far back the same context occurred last. Takes n log n time.

struct Repetition {
    std::size_t length = 0;
    std::size_t first = 0; ///< begin of a cycle that the next cycle repeats
};

/// Returns the repetitions, the shortest first. The sequence holds at least three times each length, and each
/// length is the usual distance between equal contexts of some length.
[[nodiscard]] std::vector<Repetition> findRepetitions(std::span<const std::uint64_t> tokens);

/// Hashes of the stretches of a sequence, so that equal stretches are found without comparing their tokens.
class StretchHashes final {
public:
    explicit StretchHashes(std::span<const std::uint64_t> tokens);
    /// Returns the hash of one stretch. Only hashes of stretches of the same length can be compared.
    [[nodiscard]] std::uint64_t of(std::size_t first, std::size_t length) const
    {
        return m_sums[first + length] - m_sums[first] * m_powers[length];
    }

private:
    std::vector<std::uint64_t> m_sums, m_powers;
};

/// Returns a cycle of the given length that the next cycle repeats. Of all such places it takes the middle
/// one. `tokens` is the length of the sequence. Returns null if there is none.
[[nodiscard]] std::optional<Repetition> findRepetition(const StretchHashes& hashes, std::size_t tokens,
                                                       std::size_t length);

/// The calls that the search looks at. Each event has the token of the same index; equal tokens mean equal
/// calls.
struct CallSequence {
    std::span<const RepeatedEvent> events;
    std::span<const std::uint64_t> tokens;
};

class CallCycle final {
public:
    CallCycle(const CallSequence& sequence, const StretchHashes& hashes, const Repetition& repetition);

    [[nodiscard]] std::size_t length() const { return m_length; }
    [[nodiscard]] std::size_t count() const { return m_begins.size(); }
    /// Returns whether the cycle has a kind of call (function and communicator) that `other` lacks. Calls of
    /// only a few bytes do not count.
    [[nodiscard]] bool hasOtherKinds(const CallCycle& other) const;
    /// Returns whether the cycle has a kind of reduction that `other` lacks, for example one of gradients.
    [[nodiscard]] bool hasOtherReductions(const CallCycle& other) const;
    /// Returns whether the cycle has a call of a size that `other` lacks. Calls of only a few bytes do not
    /// count.
    [[nodiscard]] bool hasOtherSizes(const CallCycle& other) const;
    /// Returns whether the cycle has a call of only a few bytes that `other` lacks.
    [[nodiscard]] bool hasOtherFewBytes(const CallCycle& other) const;
    /// Returns whether most of the cycle is itself a repetition of `length` calls, at least three times.
    [[nodiscard]] bool repeatsInside(std::size_t length) const;
    /// The median length of the pause before the call where the host usually pauses longest.
    [[nodiscard]] std::int64_t longestPauseNs() const { return m_pausesNs[m_longest]; }
    /// The median time from the begin of one occurrence to the begin of the next.
    [[nodiscard]] std::int64_t durationNs() const { return m_durationNs; }
    /// Returns whether the longest pause lies before the same call in at least 60 % of the occurrences. False
    /// for cycles of fewer than three calls, where it says nothing.
    [[nodiscard]] bool pausesAtOnePlace() const;
    [[nodiscard]] bool reduces() const;
    /// The share of occurrences in which the optimizer ran. Only occurrences between the first and the last
    /// recorded run of the optimizer count; returns 0 if there is none.
    [[nodiscard]] double optimizerShare() const;
    /// Returns whether, at regular distances, an occurrence takes at least three times as long as usual.
    [[nodiscard]] bool hasLongerRhythm() const;
    /// Returns the cycle's tokens, beginning with the first call after the optimizer. If no optimizer was
    /// seen, they begin after the longest pause.
    [[nodiscard]] std::vector<std::uint64_t> fromItsBegin() const;

private:
    void measurePauses();
    void findBegin();
    [[nodiscard]] bool holds(bool RepeatedEvent::*which, bool wanted, std::uint64_t RepeatedEvent::*what,
                             const CallCycle& other) const;

    CallSequence m_sequence;
    std::size_t m_first;
    std::size_t m_length;
    std::vector<std::size_t> m_begins;      ///< begins of the occurrences, which do not overlap
    std::vector<std::int64_t> m_pausesNs;   ///< median pause before each call
    std::vector<std::size_t> m_optimizerAt; ///< how often the optimizer ran before each call
    std::size_t m_longest = 0;              ///< place of the longest pause
    std::size_t m_begin = 0;                ///< place of the step's first call in the cycle
    std::int64_t m_durationNs = 0;
};

} // namespace ringside::model
