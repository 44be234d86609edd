// SPDX-License-Identifier: Apache-2.0
// Lengths of unions and intersections of what ran on a device, per window, in exact integer ns. One pass with
// a cursor per stream over what is already sorted there: nothing is copied, joined or sorted.
#pragma once
#include "model/time.h"

#include <ringside/trace/column.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ringside::metrics {

using model::Interval;

/// Intervals of one class on one stream, by start. `order` picks rows of the columns; empty: the first
/// `count` rows.
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

/// Classes of device work. Transfer is the part of communication that is not waiting for a late rank.
enum Class : std::uint8_t { kCompute = 0, kCommunication = 1, kCopy = 2, kTransfer = 3, kClasses = 4 };
using Lanes = std::array<std::vector<Lane>, kClasses>;

/// How long each combination of classes was active; index: bit c set when class c was.
struct Coverage {
    std::array<std::int64_t, 1U << kClasses> ns{};
    /// Time in which any class of `any` (a bit mask) and none of `none` was active.
    [[nodiscard]] std::int64_t time(unsigned any, unsigned none = 0) const;
    /// Time in which all classes of `all` were active.
    [[nodiscard]] std::int64_t together(unsigned all) const;
    Coverage& operator+=(const Coverage& other);
};
[[nodiscard]] constexpr unsigned bit(Class c)
{
    return 1U << c;
}

/// Is told idle times inside windows, in their order; one that crosses a border is two. There may be as many
/// as events, so nobody keeps them.
using IdleSink = std::function<void(const Interval&)>;

/// One a window; those ascend and do not overlap.
[[nodiscard]] std::vector<Coverage> sweep(const Lanes& lanes, std::span<const Interval> windows,
                                          const IdleSink& onIdle = {});

/// Several sets of windows in one pass, which costs most of it: each ascends by itself and does not overlap.
/// `onIdle` is told of the first set alone. As many sets as there are, one coverage a window.
[[nodiscard]] std::vector<std::vector<Coverage>>
sweepTogether(const Lanes& lanes, std::span<const std::span<const Interval>> sets,
              const IdleSink& onIdle = {});

} // namespace ringside::metrics
