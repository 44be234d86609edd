// SPDX-License-Identifier: Apache-2.0
#include "model/pattern_cuts.h"

#include <algorithm>
#include <optional>

namespace ringside::model {
namespace {

constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15U;

/// Where the pattern stands unchanged, none over the other. A sum over the last tokens finds it, a comparison
/// makes sure.
std::vector<Stretch> exactCopies(std::span<const std::uint64_t> tokens,
                                 std::span<const std::uint64_t> pattern)
{
    std::uint64_t wanted = 0;
    std::uint64_t leaving = 1; // weight of the token that leaves
    for (const std::uint64_t token : pattern) {
        wanted = wanted * kBase + token;
        leaving *= kBase;
    }
    std::vector<Stretch> copies;
    std::uint64_t sum = 0;
    std::size_t free = 0; // behind the last copy
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        sum = sum * kBase + tokens[i] - (i >= pattern.size() ? tokens[i - pattern.size()] * leaving : 0);
        const std::size_t end = i + 1;
        if (sum == wanted && end >= free + pattern.size() &&
            std::ranges::equal(tokens.subspan(end - pattern.size(), pattern.size()), pattern)) {
            copies.push_back({end - pattern.size(), end});
            free = end;
        }
    }
    return copies;
}

/// How many records are missing in, or strange to, a sequence at a place where it differs from the pattern.
struct Repair {
    std::size_t missing = 0;
    std::size_t strange = 0;
};

std::optional<Repair> repairOf(std::span<const std::uint64_t> tokens, std::span<const std::uint64_t> pattern)
{
    constexpr std::size_t kMost = 3;  // in one place
    constexpr std::size_t kAgree = 3; // tokens behind it
    for (std::size_t edits = 1; edits <= kMost; ++edits) {
        for (const Repair repair : {Repair{edits, 0}, Repair{0, edits}}) {
            if (repair.strange > tokens.size() || repair.missing > pattern.size()) {
                continue;
            }
            const auto left = tokens.subspan(repair.strange);
            const auto right = pattern.subspan(repair.missing);
            const std::size_t agree = std::min({kAgree, left.size(), right.size()});
            if (std::ranges::equal(left.first(agree), right.first(agree))) {
                return repair;
            }
        }
    }
    return std::nullopt;
}

/// How many tokens from the front are the pattern but for a few records; 0: they are not.
std::size_t lengthOfDamagedCopy(std::span<const std::uint64_t> tokens, std::span<const std::uint64_t> pattern)
{
    constexpr std::size_t kParts = 10; // one in so many records may be missing or strange
    std::size_t edits = 0;
    std::size_t at = 0;
    for (std::size_t place = 0; place < pattern.size();) {
        if (at < tokens.size() && tokens[at] == pattern[place]) {
            ++at;
            ++place;
            continue;
        }
        const auto repair = repairOf(tokens.subspan(at), pattern.subspan(place));
        if (!repair || (edits += repair->missing + repair->strange) > pattern.size() / kParts) {
            return 0;
        }
        at += repair->strange;
        place += repair->missing;
    }
    return at;
}

} // namespace

std::vector<Stretch> findCopies(std::span<const std::uint64_t> tokens, std::span<const std::uint64_t> pattern)
{
    std::vector<Stretch> copies;
    if (pattern.empty() || pattern.size() > tokens.size()) {
        return copies;
    }
    std::vector<Stretch> exact = exactCopies(tokens, pattern);
    exact.push_back({tokens.size(), tokens.size()});
    for (const Stretch& next : exact) {
        while (!copies.empty()) {
            const std::size_t from = copies.back().end;
            const std::size_t length = lengthOfDamagedCopy(tokens.subspan(from, next.first - from), pattern);
            if (length == 0) {
                break;
            }
            copies.push_back({from, from + length});
        }
        if (next.end > next.first) {
            copies.push_back(next);
        }
    }
    return copies;
}

} // namespace ringside::model
