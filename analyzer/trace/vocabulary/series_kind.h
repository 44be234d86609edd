// SPDX-License-Identifier: Apache-2.0
// The kind of a series: a number in rings, column `kind` of table `series` in traces.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::trace {

enum class SeriesKind : std::uint8_t { Gauge = 0, Counter = 1, Event = 2, Changes = 3 };

/// In the order of SeriesKind.
inline constexpr std::array kSeriesKinds{
    WordEntry{"gauge", "A value holds until the next sample."},
    WordEntry{"counter", "Only differences between samples mean something."},
    WordEntry{"event", "Something happened at that moment."},
    WordEntry{"changes", "Every change of a value, which holds until the next one, however long that takes."},
};
using SeriesKindName = Word<kSeriesKinds>;

/// Returns the entry of Gauge for an invalid number.
[[nodiscard]] constexpr const WordEntry& entryOf(SeriesKind kind)
{
    const auto index = static_cast<std::size_t>(kind);
    return kSeriesKinds[index < kSeriesKinds.size() ? index : 0];
}

} // namespace ringside::trace
