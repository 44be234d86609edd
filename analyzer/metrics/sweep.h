// SPDX-License-Identifier: Apache-2.0
// Computes, for each window, the lengths of unions and intersections of the work on a device, in exact
// integer ns. The sweep is one pass with one cursor for each stream. The intervals of a stream are already
// sorted, so nothing is copied, joined or sorted.
#pragma once
#include "model/time.h"
#include "values/breakdown.h"

#include <ringside/trace/column.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ringside::metrics {

using model::Interval;
using values::bit;
using values::Class;
using values::Coverage;
using enum values::Class;

/// The intervals of one class on one stream, ordered by start. Refers to columns that it does not own.
/// `order` selects rows of the columns; if it is empty, the lane is the first `count` rows.
struct Lane {
    const trace::Column<std::int64_t>* starts = nullptr;
    const trace::Column<std::int64_t>* ends = nullptr;
    const trace::Column<std::uint32_t>* correlations = nullptr; ///< null for derived intervals
    std::span<const std::uint32_t> order;
    std::size_t count = 0;
    [[nodiscard]] std::size_t row(std::size_t index) const { return order.empty() ? index : order[index]; }
    [[nodiscard]] std::int64_t start(std::size_t index) const { return (*starts)[row(index)]; }
    [[nodiscard]] std::int64_t end(std::size_t index) const { return (*ends)[row(index)]; }
    [[nodiscard]] Interval interval(std::size_t index) const { return {start(index), end(index)}; }
};

using Lanes = std::array<std::vector<Lane>, kClasses>;

/// Receives the idle times inside windows, in order. An idle time that crosses the border of a window arrives
/// in two parts. There can be as many idle times as events, so they are passed on instead of stored.
using IdleSink = std::function<void(const Interval&)>;

/// Returns the coverage of each window. Windows must ascend and must not overlap.
[[nodiscard]] std::vector<Coverage> sweep(const Lanes& lanes, std::span<const Interval> windows,
                                          const IdleSink& onIdle = {});

/// Returns the coverages of several sets of windows, by set and by window. All sets share one pass over the
/// lanes, because the pass is most of the cost. The windows of each set must ascend and must not overlap.
/// `onIdle` receives the idle times of the first set only.
[[nodiscard]] std::vector<std::vector<Coverage>>
sweepTogether(const Lanes& lanes, std::span<const std::span<const Interval>> sets,
              const IdleSink& onIdle = {});

} // namespace ringside::metrics
