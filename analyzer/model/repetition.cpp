// SPDX-License-Identifier: Apache-2.0
#include "model/repetition.h"

#include <map>
#include <unordered_map>

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

} // namespace ringside::model
