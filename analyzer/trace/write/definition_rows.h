// SPDX-License-Identifier: Apache-2.0
// Definitions in a ring that become rows directly. The records may be hostile: texts may lack their end, and
// kinds may be invalid.
#pragma once
#include "trace/vocabulary/series.h"

#include <ringside/trace/ring.h>
#include <ringside/trace/rows.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace ringside::trace {

/// Returns the field up to its zero byte, or all of it.
template <std::size_t kBytes>
std::string textIn(const char (&field)[kBytes])
{
    return {std::begin(field), std::find(std::begin(field), std::end(field), '\0')};
}

inline SeriesRow rowOf(const SeriesRecord& record)
{
    return {record.id,
            SeriesSource::stored(textIn(record.source)),
            textIn(record.entity),
            SeriesMetric::stored(textIn(record.metric)),
            SeriesKindName::of(entryOf(record.kind)),
            record.reason};
}

inline WindowRow rowOf(const WindowRecord& record)
{
    const auto step = static_cast<std::int64_t>(record.steps);
    return {LevelName::stored(textIn(record.level)), record.startNs, std::nullopt, textIn(record.why),
            step != 0 ? std::optional(step) : std::nullopt};
}

} // namespace ringside::trace
