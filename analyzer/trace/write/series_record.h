// SPDX-License-Identifier: Apache-2.0
// A series' definition in a ring as a row. The record may be hostile: no text need end, no kind need exist.
#pragma once
#include <ringside/trace/ring.h>
#include <ringside/trace/rows.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace ringside::trace {

/// What stands before a field's zero byte, or all of it.
template <std::size_t kBytes>
std::string textIn(const char (&field)[kBytes])
{
    return {std::begin(field), std::find(std::begin(field), std::end(field), '\0')};
}

inline const char* nameOf(SeriesKind kind)
{
    switch (kind) {
    case SeriesKind::Counter:
        return "counter";
    case SeriesKind::Event:
        return "event";
    default:
        return "gauge";
    }
}

inline SeriesRow rowOf(const SeriesRecord& record)
{
    return {record.id,           textIn(record.source), textIn(record.entity), textIn(record.metric),
            nameOf(record.kind), record.reason};
}

} // namespace ringside::trace
