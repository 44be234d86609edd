// SPDX-License-Identifier: Apache-2.0
#include "model/pattern_cuts.h"

#include <algorithm>
#include <optional>

namespace ringside::model {
namespace {

constexpr std::uint64_t kHashBase = 0x9E3779B97F4A7C15U;

/// Returns where the pattern occurs unchanged, without overlaps. A rolling hash of the last tokens finds
/// candidates, which are then compared token by token.
std::vector<Stretch> exactCopies(std::span<const std::uint64_t> tokens,
                                 std::span<const std::uint64_t> pattern)
{
    std::uint64_t wanted = 0;
    std::uint64_t leaving = 1; // weight of the token that leaves the rolling hash
    for (const std::uint64_t token : pattern) {
        wanted = wanted * kHashBase + token;
        leaving *= kHashBase;
    }
    std::vector<Stretch> copies;
    std::uint64_t sum = 0;
    std::size_t free = 0; // end of the last copy
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        sum = sum * kHashBase + tokens[i] - (i >= pattern.size() ? tokens[i - pattern.size()] * leaving : 0);
        const std::size_t end = i + 1;
        if (sum == wanted && end >= free + pattern.size() &&
            std::ranges::equal(tokens.subspan(end - pattern.size(), pattern.size()), pattern)) {
            copies.push_back({end - pattern.size(), end});
            free = end;
        }
    }
    return copies;
}

/// How many records a sequence lacks, or has in addition, at a place where it differs from the pattern.
struct Repair {
    std::size_t missing = 0;
    std::size_t strange = 0;
};

/// Returns the smallest repair after which the next tokens agree with the pattern. Returns null if no repair
/// of up to three records does.
std::optional<Repair> repairOf(std::span<const std::uint64_t> tokens, std::span<const std::uint64_t> pattern)
{
    constexpr std::size_t kMost = 3;  // records at one place
    constexpr std::size_t kAgree = 3; // tokens that have to agree after it
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

/// Returns how many tokens from the front are a copy of the pattern in which a few records are missing or
/// extra. Returns 0 if there is no such copy.
std::size_t lengthOfDamagedCopy(std::span<const std::uint64_t> tokens, std::span<const std::uint64_t> pattern)
{
    constexpr std::size_t kParts = 10; // one in ten records may be missing or extra
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
