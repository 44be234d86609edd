// SPDX-License-Identifier: Apache-2.0
// Which part of a run is read. Rows that only hold for a moment (calls, kernels, ranges, marks) are read if
// they begin within the times of their process. All others (identity, settings, issues, samples) are always
// read: they say what the run is.
#pragma once
#include <ringside/trace/reader.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

namespace ringside::trace {

/// Times on a process's own clock (CLOCK_MONOTONIC ns of its host). The end does not belong to it.
struct TimeRange {
    std::int64_t beginNs = std::numeric_limits<std::int64_t>::min();
    std::int64_t endNs = std::numeric_limits<std::int64_t>::max();
    [[nodiscard]] bool holds(std::int64_t ns) const { return ns >= beginNs && ns < endNs; }
};

/// Disjoint times in ascending order.
class TimeRanges final {
public:
    TimeRanges() = default;
    explicit TimeRanges(std::vector<TimeRange> ranges) : m_ranges(std::move(ranges)) {}
    [[nodiscard]] bool holds(std::int64_t ns) const
    {
        return std::ranges::any_of(m_ranges, [ns](const TimeRange& range) { return range.holds(ns); });
    }
    /// Returns whether a span has a part within the times.
    [[nodiscard]] bool meets(std::int64_t startNs, std::int64_t endNs) const
    {
        return std::ranges::any_of(m_ranges, [=](const TimeRange& range) {
            return startNs < range.endNs && endNs >= range.beginNs;
        });
    }
    /// Returns the span from the first to the last time; empty ranges give a span that holds nothing.
    [[nodiscard]] TimeRange hull() const
    {
        return m_ranges.empty() ? TimeRange{0, 0}
                                : TimeRange{m_ranges.front().beginNs, m_ranges.back().endNs};
    }

private:
    std::vector<TimeRange> m_ranges;
};

/// The times to read of each process, by its file and its process_id there. A process that is not listed is
/// read as a whole.
using ReadPart = std::map<std::pair<std::filesystem::path, std::int64_t>, TimeRanges>;

/// Whether rows of a plain table only hold for a moment.
template <class Row>
inline constexpr bool kOfAMoment =
    std::is_same_v<Row, CollectiveCallRow> || std::is_same_v<Row, GroupRow> ||
    std::is_same_v<Row, NcclOperationRow> || std::is_same_v<Row, StepRow> || std::is_same_v<Row, RangeRow> ||
    std::is_same_v<Row, StepSummaryRow> || std::is_same_v<Row, StepTrafficRow>;

/// Returns whether a row of a plain table is to be read. Ranges are read if they have a part within the
/// times, calls that a CUDA graph captured always: each launch of the graph refers to them.
template <class Row>
[[nodiscard]] bool isWithin(const TimeRanges& times, const Row& row)
{
    if constexpr (std::is_same_v<Row, RangeRow>) {
        return times.meets(row.startNs, row.endNs);
    } else if constexpr (std::is_same_v<Row, CollectiveCallRow>) {
        return row.graph || times.holds(row.startNs);
    } else if constexpr (kOfAMoment<Row>) {
        return times.holds(row.startNs);
    } else {
        return true;
    }
}

/// Whether rows of a chunked table are cut by time. Samples are not: counters gain over the whole run.
template <class Row>
inline constexpr bool kCutByTime = requires(Row row)
{
    row.startNs;
    row.endNs;
};

/// Opens a run like openRun(path), but reads only `part` of it.
[[nodiscard]] RunTrace openPart(const std::filesystem::path& path, const ReadPart& part);

} // namespace ringside::trace
