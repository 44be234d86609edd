// SPDX-License-Identifier: Apache-2.0
#include "values/number_runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::values {
namespace {

/// Of any two numbers; wraps where they are too far apart for any rank.
std::int64_t difference(std::int64_t from, std::int64_t to)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}

/// Returns the run of equal steps that begins at `first`, however short it is.
NumberRun runAt(std::span<const std::int64_t> numbers, std::size_t first)
{
    NumberRun run{numbers[first], numbers[first], 1, 1};
    if (first + 1 < numbers.size()) {
        run.step = difference(run.first, numbers[first + 1]);
        while (first + run.count < numbers.size() &&
               difference(run.last, numbers[first + run.count]) == run.step) {
            run.last = numbers[first + run.count];
            ++run.count;
        }
    }
    return run;
}

} // namespace

std::vector<NumberRun> numberRuns(std::span<const std::int64_t> numbers, std::size_t leastInRow)
{
    constexpr std::size_t kLeastApart = 6; // a few numbers are easier to read one by one
    std::vector<NumberRun> runs;
    for (std::size_t i = 0; i < numbers.size(); i += runs.back().count) {
        const NumberRun run = runAt(numbers, i);
        const bool isLong = run.step > 0 && run.count >= (run.step == 1 ? leastInRow : kLeastApart);
        runs.push_back(isLong ? run : NumberRun{numbers[i], numbers[i], 1, 1});
    }
    return runs;
}

std::size_t numbersLeftOut(std::span<const NumberRun> runs)
{
    std::size_t count = 0;
    for (std::size_t i = kMostRuns; i < runs.size(); ++i) {
        count += runs[i].count;
    }
    return count;
}

std::string rankList(std::vector<std::int64_t> ranks)
{
    if (ranks.empty()) {
        return "no rank";
    }
    std::sort(ranks.begin(), ranks.end());
    const std::vector<NumberRun> runs = numberRuns(ranks, 3);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min(runs.size(), kMostRuns); ++i) {
        const NumberRun& run = runs[i];
        parts.push_back(run.count == 1 ? std::to_string(run.first)
                        : run.step == 1
                            ? fmt::format("{} to {}", run.first, run.last)
                            : fmt::format("{} to {} in steps of {}", run.first, run.last, run.step));
    }
    if (const std::size_t more = numbersLeftOut(runs); more > 0) {
        parts.push_back(fmt::format("{} more", more));
    }
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    }
    return text;
}

} // namespace ringside::values
