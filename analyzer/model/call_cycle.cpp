// SPDX-License-Identifier: Apache-2.0
#include "model/call_cycle.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace ringside::model {
namespace {

std::uint64_t mix(std::uint64_t value)
{
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

/// Returns how far back each context occurred last, or 0 if it did not occur before.
std::vector<std::uint32_t> distancesBack(std::span<const std::uint64_t> contexts)
{
    std::unordered_map<std::uint64_t, std::uint32_t> last;
    last.reserve(contexts.size());
    std::vector<std::uint32_t> distances(contexts.size());
    for (std::uint32_t i = 0; i < contexts.size(); ++i) {
        const auto [entry, fresh] = last.try_emplace(contexts[i], i);
        distances[i] = i - entry->second;
        entry->second = i;
    }
    return distances;
}

/// Returns the most frequent distance, with a cycle from the middle of the places that have it. Returns null
/// if less than a quarter of the contexts have this distance.
std::optional<Repetition> usualDistance(const std::vector<std::uint32_t>& distances)
{
    constexpr std::size_t kLeastShare = 4;
    std::vector<std::size_t> counts(distances.size() + 1);
    std::size_t usual = 0;
    for (const std::uint32_t distance : distances) {
        ++counts[distance];
        usual = distance > 0 && (usual == 0 || counts[distance] > counts[usual]) ? distance : usual;
    }
    if (usual == 0 || kLeastShare * counts[usual] < distances.size()) {
        return std::nullopt;
    }
    std::size_t before = counts[usual] / 2;
    std::size_t place = 0;
    while (distances[place] != usual || before-- > 0) {
        ++place;
    }
    return Repetition{usual, place - usual};
}

/// Returns the time from the end of the previous event to the begin of this one.
std::int64_t pauseBefore(std::span<const RepeatedEvent> events, std::size_t index)
{
    return index == 0 ? 0 : std::max<std::int64_t>(0, events[index].time.start - events[index - 1].time.end);
}

} // namespace

std::vector<Repetition> findRepetitions(std::span<const std::uint64_t> tokens)
{
    constexpr std::size_t kLeastCycles = 3;
    std::vector<std::uint64_t> contexts;
    contexts.reserve(tokens.size());
    for (const std::uint64_t token : tokens) {
        contexts.push_back(mix(token));
    }
    std::map<std::size_t, std::size_t> found; // first cycle by length; longer contexts locate it better
    for (std::size_t length = 1; length * 2 <= tokens.size(); length *= 2) {
        const auto usual = usualDistance(distancesBack(contexts));
        if (usual && usual->length * kLeastCycles <= tokens.size()) {
            found.insert_or_assign(usual->length, usual->first);
        }
        for (std::size_t i = 0; i + length < contexts.size(); ++i) {
            contexts[i] = mix(contexts[i] * 3 + contexts[i + length]);
        }
        contexts.resize(contexts.size() - length);
    }
    std::vector<Repetition> repetitions;
    for (const auto& [length, first] : found) {
        repetitions.push_back({length, first});
    }
    return repetitions;
}

StretchHashes::StretchHashes(std::span<const std::uint64_t> tokens)
    : m_sums(tokens.size() + 1), m_powers(tokens.size() + 1)
{
    constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15U;
    m_powers[0] = 1;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        m_sums[i + 1] = m_sums[i] * kBase + mix(tokens[i]);
        m_powers[i + 1] = m_powers[i] * kBase;
    }
}

std::optional<Repetition> findRepetition(const StretchHashes& hashes, std::size_t tokens, std::size_t length)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; length > 0 && length <= tokens / 2 && i + 2 * length <= tokens; ++i) {
        if (hashes.of(i, length) == hashes.of(i + length, length)) {
            places.push_back(i);
        }
    }
    return places.empty() ? std::nullopt : std::optional(Repetition{length, places[places.size() / 2]});
}

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
