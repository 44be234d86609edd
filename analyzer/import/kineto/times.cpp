// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/times.h"

#include "model/time.h"
#include "trace/read/plausible.h"
#include "trace/tables.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace ringside::importers::kineto {
namespace {

/// Calls `visit(start, end)` for every row with times.
template <class Visit>
void visitTimes(const Rows& rows, const Visit& visit)
{
    const auto visitColumns = [&](const auto& columns) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            visit(columns.startNs[i], columns.endNs[i]);
        }
    };
    visitColumns(rows.kernels);
    visitColumns(rows.copies);
    visitColumns(rows.apiCalls);
    visitColumns(rows.launches);
    visitColumns(rows.pythonCalls);
    for (const Allocation& row : rows.allocations) {
        visit(row.timeNs, row.timeNs);
    }
    for (const trace::RangeRow& row : rows.ranges) {
        visit(row.startNs, row.endNs);
    }
    for (const Collective& row : rows.collectives) {
        visit(row.startNs, row.endNs);
    }
}

void shiftTimes(Rows& rows, std::int64_t ns)
{
    const auto shiftAll = [ns](auto&... columns) { (columns.shift(ns), ...); };
    shiftAll(rows.kernels.startNs, rows.kernels.endNs, rows.copies.startNs, rows.copies.endNs,
             rows.apiCalls.startNs, rows.apiCalls.endNs, rows.launches.startNs, rows.launches.endNs,
             rows.pythonCalls.startNs, rows.pythonCalls.endNs);
    for (Allocation& row : rows.allocations) {
        row.timeNs += ns;
    }
    for (trace::RangeRow& row : rows.ranges) {
        row.startNs += ns;
        row.endNs += ns;
    }
    for (Collective& row : rows.collectives) {
        row.startNs += ns;
        row.endNs += ns;
    }
}

/// The largest distance of a row from the median start. It is half of the largest plausible time, so that all
/// rows remain plausible when they count from the earliest one.
constexpr std::int64_t kFarthest = trace::kFarthestTimeNs / 2;

template <class Row, class Columns>
std::int64_t keepNear(Columns& columns, std::int64_t pivot)
{
    Columns kept;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns.startNs[i] >= pivot - kFarthest && columns.endNs[i] <= pivot + kFarthest) {
            trace::TableOf<Row>::forEachColumn([&](const char*, trace::Encoding, auto, auto member) {
                (kept.*member).push_back((columns.*member)[i]);
            });
        }
    }
    const auto removed = static_cast<std::int64_t>(columns.size() - kept.size());
    columns = std::move(kept);
    return removed;
}

/// Removes rows far from the median start, which a few wrong times do not change.
void removeFarRows(Rows& rows)
{
    std::vector<std::int64_t> starts;
    visitTimes(rows, [&](const std::int64_t& start, const std::int64_t&) { starts.push_back(start); });
    const std::int64_t pivot = model::median(std::move(starts));
    const auto isFar = [pivot](const auto& row) {
        return row.startNs < pivot - kFarthest || row.endNs > pivot + kFarthest;
    };
    const auto isFarMoment = [pivot](const Allocation& row) {
        return row.timeNs < pivot - kFarthest || row.timeNs > pivot + kFarthest;
    };
    rows.counts.implausible += keepNear<trace::KernelRow>(rows.kernels, pivot) +
                               keepNear<trace::CopyRow>(rows.copies, pivot) +
                               keepNear<trace::ApiCallRow>(rows.apiCalls, pivot) +
                               keepNear<trace::PythonCallRow>(rows.pythonCalls, pivot) +
                               static_cast<std::int64_t>(std::erase_if(rows.allocations, isFarMoment)) +
                               static_cast<std::int64_t>(std::erase_if(rows.ranges, isFar));
    // The events of these rows were counted above.
    keepNear<trace::LaunchRow>(rows.launches, pivot);
    std::erase_if(rows.collectives, isFar);
}

struct Bounds {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
};

Bounds boundsOf(const Rows& rows)
{
    Bounds bounds;
    visitTimes(rows, [&](const std::int64_t& start, const std::int64_t& end) {
        bounds.first = std::min(bounds.first, start);
        bounds.last = std::max(bounds.last, end);
    });
    return bounds;
}

} // namespace

std::int64_t joinHalves(Rows& rows)
{
    std::ranges::stable_sort(rows.halves, {}, &HalfRange::timeNs);
    std::unordered_map<std::int64_t, std::vector<const HalfRange*>> open; // by thread
    std::int64_t alone = 0;
    for (const HalfRange& half : rows.halves) {
        auto& stack = open[half.tid];
        if (half.begins) {
            stack.push_back(&half);
            continue;
        }
        if (stack.empty()) {
            ++alone;
            continue;
        }
        const HalfRange& begin = *stack.back();
        stack.pop_back();
        trace::RangeRow row;
        row.name = begin.name;
        row.domain = begin.category;
        row.startNs = begin.timeNs;
        row.endNs = half.timeNs;
        row.thread = half.tid;
        rows.ranges.push_back(row);
    }
    for (const auto& [tid, stack] : open) {
        alone += static_cast<std::int64_t>(stack.size());
    }
    rows.halves = {};
    return alone;
}

std::int64_t useOwnOrigin(Rows& rows)
{
    Bounds bounds = boundsOf(rows);
    if (bounds.first > bounds.last) {
        return 0;
    }
    if (bounds.last - bounds.first > kFarthest) {
        removeFarRows(rows);
        bounds = boundsOf(rows);
    }
    shiftTimes(rows, -bounds.first);
    return bounds.first;
}

} // namespace ringside::importers::kineto
