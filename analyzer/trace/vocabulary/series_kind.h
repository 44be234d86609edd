// SPDX-License-Identifier: Apache-2.0
// What the values of a series are: a number in records, column `kind` of table `series` in a trace.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::trace {

enum class SeriesKind : std::uint8_t { Gauge = 0, Counter = 1, Event = 2 };

/// In the order of SeriesKind.
inline constexpr std::array kSeriesKinds{
    WordEntry{"gauge", "A value holds until the next sample."},
    WordEntry{"counter", "Only differences between samples mean something."},
    WordEntry{"event", "Something happened at that moment."},
};
using SeriesKindName = Word<kSeriesKinds>;

/// A gauge, where a record holds another number.
[[nodiscard]] constexpr const WordEntry& entryOf(SeriesKind kind)
{
    const auto index = static_cast<std::size_t>(kind);
    return kSeriesKinds[index < kSeriesKinds.size() ? index : 0];
}

} // namespace ringside::trace
