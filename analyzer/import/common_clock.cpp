// SPDX-License-Identifier: Apache-2.0
#include "import/common_clock.h"

#include "trace/read/plausible.h"
#include "trace/tables.h"

#include <algorithm>
#include <string_view>

namespace ringside::importers {
namespace {

using trace::ProcessTrace;

/// Whether a column contains points in time on the process's own clock. Columns of other clocks and some
/// durations also end in "_ns".
constexpr bool isMoment(std::string_view column)
{
    return column.ends_with("_ns") && column != "realtime_ns" && column != "device_ns";
}

template <class Visit>
void visitTime(std::int64_t& time, const Visit& visit)
{
    visit(time);
}
template <class Visit>
void visitTime(std::optional<std::int64_t>& time, const Visit& visit)
{
    if (time) {
        visit(*time);
    }
}
template <class Other, class Visit>
void visitTime(Other&, const Visit&)
{}

template <class Row, class Visit>
void visitRow(Row& row, const Visit& visit)
{
    trace::TableOf<Row>::forEachColumn([&](const char* column, auto member) {
        if (isMoment(column)) {
            visitTime(row.*member, visit);
        }
    });
}
template <class Row, class Visit>
void visitRow(std::vector<Row>& rows, const Visit& visit)
{
    for (Row& row : rows) {
        visitRow(row, visit);
    }
}

template <class Row, class Columns, class Visit>
void visitTimeColumns(Columns& columns, const Visit& visit)
{
    if constexpr (trace::kHasTimes<Row>) {
        visit(trace::startOf(columns));
    }
    if constexpr (trace::kTimeColumns<Row> == 2) {
        visit(trace::endOf(columns));
    }
}

/// Calls `visit` with every point in time in the process's plain rows, and `visitColumn` with every column of
/// points in time.
template <class Visit, class VisitColumn>
void visitTimes(ProcessTrace& process, const Visit& visit, const VisitColumn& visitColumn)
{
#define RINGSIDE_PLAIN_TABLE(RowType, member, sqlName, keyColumns, orderColumns)                             \
    visitRow(process.member, visit);
#define RINGSIDE_COLUMN(member, sqlName)
#define RINGSIDE_END_TABLE
#include "trace/plain_tables.def"
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    visitTimeColumns<trace::RowType>(process.member, visitColumn);
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
}

} // namespace

bool shiftTimes(ProcessTrace& process, std::int64_t ns)
{
    if (!trace::isPlausibleTime(ns)) {
        return false;
    }
    if (ns == 0) {
        return true;
    }
    std::int64_t smallest = 0;
    std::int64_t largest = 0;
    const auto include = [&](const std::int64_t& time) {
        smallest = std::min(smallest, time);
        largest = std::max(largest, time);
    };
    visitTimes(process, include,
               [&](const trace::Column<std::int64_t>& times) { std::ranges::for_each(times, include); });
    if (!trace::isPlausibleTime(smallest + ns) || !trace::isPlausibleTime(largest + ns)) {
        return false;
    }
    visitTimes(
        process, [ns](std::int64_t& time) { time += ns; },
        [ns](trace::Column<std::int64_t>& times) { times.shift(ns); });
    return true;
}

std::int64_t useOneOrigin(std::span<ProcessTrace> processes)
{
    const auto originOf = [](const ProcessTrace& process) {
        const trace::ClockSampleRow& sample = process.clockSamples.front();
        return sample.realtimeNs - sample.monotonicNs;
    };
    const auto first =
        std::ranges::find_if(processes, [](const ProcessTrace& each) { return !each.clockSamples.empty(); });
    std::int64_t failed = 0;
    for (auto process = first; process != processes.end(); ++process) {
        if (!process->clockSamples.empty() && !shiftTimes(*process, originOf(*process) - originOf(*first))) {
            ++failed;
        }
    }
    return failed;
}

} // namespace ringside::importers
