// SPDX-License-Identifier: Apache-2.0
// Series of samples: what is measured, by which source, in which unit. series.def is the list.
#pragma once
#include <ringside/trace/ring.h>
#include <ringside/trace/rows.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ringside::trace {

/// What a value of a series counts.
enum class SeriesUnit : std::uint8_t {
    Number,
    Bits, ///< each bit has a meaning of its own
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
    std::string_view source; ///< as table `series` has it, as the metric; both end with a 0
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

/// Null: a series of a newer or foreign file.
[[nodiscard]] constexpr const SeriesEntry* findSeries(std::string_view source, std::string_view metric)
{
    for (const SeriesEntry& entry : kSeries) {
        if (entry.source == source && entry.metric == metric) {
            return &entry;
        }
    }
    return nullptr;
}

/// "gauge", "counter", "event": as table `series` has it.
[[nodiscard]] constexpr std::string_view kindName(SeriesKind kind)
{
    return kind == SeriesKind::Counter ? "counter" : kind == SeriesKind::Event ? "event" : "gauge";
}

/// A row of table `series`.
[[nodiscard]] inline SeriesRow seriesRow(SeriesName name, std::int64_t id, std::string entity)
{
    const SeriesEntry& entry = entryOf(name);
    return {id,
            std::string(entry.source),
            std::move(entity),
            std::string(entry.metric),
            std::string(kindName(entry.kind)),
            0};
}

} // namespace ringside::trace
