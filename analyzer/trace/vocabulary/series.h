// SPDX-License-Identifier: Apache-2.0
// Series of samples with their sources and units. series.def is the list.
#pragma once
#include "trace/vocabulary/series_kind.h"
#include "trace/vocabulary/word.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringside::trace {

/// The unit of a series' values.
enum class SeriesUnit : std::uint8_t {
    Number,
    Bits, ///< each bit has its own meaning
    Percent,
    Hundredths,
    Bytes,
    Kibibytes,
    BytesPerSecond,
    MegabitsPerSecond,
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Megahertz,
    Milliwatts,
    Millijoules,
    Celsius,
    ErrorsPer1e18Bits,
};

enum class SeriesName : std::uint8_t {
#define RINGSIDE_SERIES(name, source, metric, kind, unit, description) name,
#include "trace/vocabulary/series.def"
};

struct SeriesEntry {
    SeriesName name;
    std::string_view source; ///< as in table `series`; source and metric are zero-terminated
    std::string_view metric;
    SeriesKind kind;
    SeriesUnit unit;
    std::string_view description;
};
inline constexpr std::array kSeries{
#define RINGSIDE_SERIES(name, source, metric, kind, unit, description)                                       \
    SeriesEntry{SeriesName::name, source, metric, SeriesKind::kind, SeriesUnit::unit, description},
#include "trace/vocabulary/series.def"
};

[[nodiscard]] constexpr const SeriesEntry& entryOf(SeriesName name)
{
    return kSeries[static_cast<std::size_t>(name)];
}

/// Returns null for a series of a newer or foreign file.
[[nodiscard]] constexpr const SeriesEntry* findSeries(std::string_view source, std::string_view metric)
{
    for (const SeriesEntry& entry : kSeries) {
        if (entry.source == source && entry.metric == metric) {
            return &entry;
        }
    }
    return nullptr;
}

// Columns `source` and `metric` of table `series`.
using SeriesSource = Word<kSeries, &SeriesEntry::source>;
using SeriesMetric = Word<kSeries, &SeriesEntry::metric>;

} // namespace ringside::trace
