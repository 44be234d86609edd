// SPDX-License-Identifier: Apache-2.0
#include "import/nest_ranges.h"

#include <algorithm>
#include <unordered_map>

namespace ringside::importers {
namespace {

bool startsBefore(const trace::RangeRow& a, const trace::RangeRow& b)
{
    return a.startNs != b.startNs ? a.startNs < b.startNs : a.endNs > b.endNs;
}

/// Sorts the ranges. The profiler writes the operators of each thread in order, so the input usually consists
/// of a few ascending runs, which are merged.
void mergeRuns(std::vector<trace::RangeRow>& ranges)
{
    constexpr std::size_t kFewRuns = 256;
    std::vector<std::size_t> bounds{0};
    for (std::size_t i = 1; i < ranges.size() && bounds.size() <= kFewRuns; ++i) {
        if (startsBefore(ranges[i], ranges[i - 1])) {
            bounds.push_back(i);
        }
    }
    if (bounds.size() > kFewRuns) {
        std::ranges::stable_sort(ranges, startsBefore);
        return;
    }
    bounds.push_back(ranges.size());
    const auto at = [&](std::size_t bound) {
        return ranges.begin() + static_cast<std::ptrdiff_t>(bounds[bound]);
    };
    while (bounds.size() > 2) {
        std::vector<std::size_t> left{0};
        for (std::size_t i = 0; i + 1 < bounds.size(); i += 2) {
            if (i + 2 < bounds.size()) {
                std::inplace_merge(at(i), at(i + 1), at(i + 2), startsBefore);
            }
            left.push_back(bounds[std::min(i + 2, bounds.size() - 1)]);
        }
        bounds = std::move(left);
    }
}

} // namespace

void nestRanges(std::vector<trace::RangeRow>& ranges)
{
    constexpr std::int64_t kNested = 1; // RangeFlavour: push/pop
    mergeRuns(ranges);
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> openUntil; // by thread
    std::vector<std::int64_t>* stack = nullptr;
    std::int64_t thread = 0;
    for (trace::RangeRow& row : ranges) {
        if (stack == nullptr || row.thread != thread) {
            thread = row.thread;
            stack = &openUntil[thread];
        }
        if (row.flavour != kNested) { // marks, and ranges that may begin and end on different threads
            row.depth = 0;
            continue;
        }
        while (!stack->empty() && stack->back() <= row.startNs) {
            stack->pop_back();
        }
        row.depth = static_cast<std::int64_t>(stack->size());
        stack->push_back(row.endNs);
    }
}

} // namespace ringside::importers
