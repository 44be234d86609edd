// SPDX-License-Identifier: Apache-2.0
// Lengths of unions and intersections of what ran on a device, per window, in exact integer ns. One pass with
// a cursor per stream over what is already sorted there: nothing is copied, joined or sorted (limits.md 4).
#pragma once
#include "model/time.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside::metrics {

using model::Interval;

/// Intervals of one class on one stream, by start. `order` picks rows of the columns; empty: the first
/// `count` rows.
struct Lane {
    const std::int64_t* start = nullptr;
    const std::int64_t* end = nullptr;
    const std::uint32_t* correlation = nullptr; ///< null for derived intervals; the sweep does not read it
    std::span<const std::uint32_t> order;
    std::size_t count = 0;
    [[nodiscard]] std::size_t row(std::size_t index) const { return order.empty() ? index : order[index]; }
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
};
[[nodiscard]] constexpr unsigned bit(Class c)
{
    return 1U << c;
}

struct SweepResult {
    std::vector<Coverage> windows; ///< as given
    std::vector<Interval> idle;    ///< inside windows; an idle time that crosses a border is two
};

/// `windows` ascend and do not overlap.
[[nodiscard]] SweepResult sweep(const Lanes& lanes, std::span<const Interval> windows);

} // namespace ringside::metrics
