// SPDX-License-Identifier: Apache-2.0
#include "model/call_cycle.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ringside::model {
namespace {

/// Returns the time from the end of the previous event to the begin of this one.
std::int64_t pauseBefore(std::span<const RepeatedEvent> events, std::size_t index)
{
    return index == 0 ? 0 : std::max<std::int64_t>(0, events[index].time.start - events[index - 1].time.end);
}

} // namespace

CallCycle::CallCycle(const CallSequence& sequence, const StretchHashes& hashes, const Repetition& repetition)
    : m_sequence(sequence), m_first(repetition.first), m_length(repetition.length)
{
    const std::uint64_t cycle = hashes.of(m_first, m_length);
    for (std::size_t i = 0; i + m_length <= sequence.tokens.size();) {
        const bool here = hashes.of(i, m_length) == cycle;
        if (here) {
            m_begins.push_back(i);
        }
        i += here ? m_length : 1;
    }
    measurePauses();
    findBegin();
}

void CallCycle::measurePauses()
{
    m_pausesNs.resize(m_length);
    m_optimizerAt.resize(m_length);
    std::vector<std::int64_t> pauses;
    for (std::size_t place = 0; place < m_length; ++place) {
        pauses.clear();
        for (const std::size_t begin : m_begins) {
            pauses.push_back(pauseBefore(m_sequence.events, begin + place));
            m_optimizerAt[place] += m_sequence.events[begin + place].optimizerBefore ? 1U : 0U;
        }
        m_pausesNs[place] = median(pauses);
    }
    pauses.clear();
    for (const std::size_t begin : m_begins) {
        const auto last = begin + m_length - 1;
        pauses.push_back(m_sequence.events[last].time.end - m_sequence.events[begin].time.start +
                         pauseBefore(m_sequence.events, begin));
    }
    m_durationNs = median(pauses);
}

/// The step begins after the optimizer. If that holds for several places, because weights are gathered
/// between two parts of the optimizer's work, the one with the longest pause is taken.
void CallCycle::findBegin()
{
    m_longest = static_cast<std::size_t>(std::ranges::max_element(m_pausesNs) - m_pausesNs.begin());
    const std::size_t most = *std::ranges::max_element(m_optimizerAt);
    for (std::size_t place = 0; place < m_length; ++place) {
        const auto rank = [&](std::size_t at) {
            return std::pair(most > 0 && 2 * m_optimizerAt[at] >= most, m_pausesNs[at]);
        };
        m_begin = rank(place) > rank(m_begin) ? place : m_begin;
    }
}

/// Returns whether a call whose flag `which` equals `wanted` has a value of `what` that no call of `other`
/// has.
bool CallCycle::holds(bool RepeatedEvent::*which, bool wanted, std::uint64_t RepeatedEvent::*what,
                      const CallCycle& other) const
{
    std::unordered_set<std::uint64_t> known;
    for (const RepeatedEvent& event : other.m_sequence.events.subspan(other.m_first, other.m_length)) {
        known.insert(event.*what);
    }
    return std::ranges::any_of(m_sequence.events.subspan(m_first, m_length), [&](const RepeatedEvent& event) {
        return event.*which == wanted && !known.contains(event.*what);
    });
}

bool CallCycle::hasOtherKinds(const CallCycle& other) const
{
    return holds(&RepeatedEvent::fewBytes, false, &RepeatedEvent::kind, other);
}

bool CallCycle::hasOtherReductions(const CallCycle& other) const
{
    return holds(&RepeatedEvent::reduces, true, &RepeatedEvent::kind, other);
}

bool CallCycle::reduces() const
{
    return std::ranges::any_of(m_sequence.events.subspan(m_first, m_length), &RepeatedEvent::reduces);
}

bool CallCycle::hasOtherSizes(const CallCycle& other) const
{
    return holds(&RepeatedEvent::fewBytes, false, &RepeatedEvent::token, other);
}

bool CallCycle::hasOtherFewBytes(const CallCycle& other) const
{
    return holds(&RepeatedEvent::fewBytes, true, &RepeatedEvent::token, other);
}

bool CallCycle::repeatsInside(std::size_t length) const
{
    constexpr double kMost = 0.6;
    constexpr std::size_t kLeastCycles = 3;
    if (length * kLeastCycles > m_length) {
        return false;
    }
    std::size_t equal = 0;
    for (std::size_t i = m_first + length; i < m_first + m_length; ++i) {
        equal += m_sequence.tokens[i] == m_sequence.tokens[i - length] ? 1U : 0U;
    }
    return static_cast<double>(equal) >= kMost * static_cast<double>(m_length);
}

bool CallCycle::pausesAtOnePlace() const
{
    constexpr std::size_t kLeastCalls = 3;
    constexpr double kMost = 0.6; // share of its occurrences
    std::size_t there = 0;
    for (const std::size_t begin : m_begins) {
        const std::int64_t longest = pauseBefore(m_sequence.events, begin + m_longest);
        bool isLongest = true;
        for (std::size_t place = 0; place < m_length && isLongest; ++place) {
            isLongest = pauseBefore(m_sequence.events, begin + place) <= longest;
        }
        there += isLongest ? 1U : 0U;
    }
    return m_length >= kLeastCalls &&
           static_cast<double>(there) >= kMost * static_cast<double>(m_begins.size());
}

double CallCycle::optimizerShare() const
{
    const auto ran = [](const RepeatedEvent& event) { return event.optimizerBefore; };
    const auto first = std::ranges::find_if(m_sequence.events, ran) - m_sequence.events.begin();
    const auto last = std::ranges::find_if(m_sequence.events.rbegin(), m_sequence.events.rend(), ran);
    const auto end = m_sequence.events.rend() - last;
    std::size_t spanned = 0;
    std::size_t with = 0;
    for (const std::size_t begin : m_begins) {
        if (static_cast<std::ptrdiff_t>(begin) >= first &&
            static_cast<std::ptrdiff_t>(begin + m_length) <= end) {
            ++spanned;
            with += std::ranges::any_of(m_sequence.events.subspan(begin, m_length), ran) ? 1U : 0U;
        }
    }
    return spanned == 0 ? 0 : static_cast<double>(with) / static_cast<double>(spanned);
}

bool CallCycle::hasLongerRhythm() const
{
    constexpr std::int64_t kFar = 3; // times the usual duration
    constexpr std::size_t kLeast = 3;
    std::unordered_map<std::size_t, std::size_t> distances;
    std::size_t last = 0;
    std::size_t all = 0;
    for (std::size_t i = 1; i < m_begins.size(); ++i) {
        const std::int64_t took =
            m_sequence.events[m_begins[i]].time.start - m_sequence.events[m_begins[i - 1]].time.start;
        if (took >= kFar * m_durationNs) {
            ++distances[m_begins[i] - last];
            ++all;
            last = m_begins[i];
        }
    }
    return std::ranges::any_of(distances, [&](const auto& distance) {
        return distance.second >= kLeast && 2 * distance.second >= all;
    });
}

std::vector<std::uint64_t> CallCycle::fromItsBegin() const
{
    const auto cycle = m_sequence.tokens.subspan(m_first, m_length);
    std::vector<std::uint64_t> tokens(cycle.begin(), cycle.end());
    std::rotate(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(m_begin), tokens.end());
    return tokens;
}

} // namespace ringside::model
