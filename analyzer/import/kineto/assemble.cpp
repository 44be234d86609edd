// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/assemble.h"

#include "import/decimal.h"
#include "import/kineto/collectives.h"
#include "import/kineto/rows.h"
#include "import/nest_ranges.h"
#include "import/note.h"
#include "model/time.h"
#include "trace/read/plausible.h"
#include "trace/read/sort_columns.h"
#include "trace/tables.h"
#include "values/parse_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace ringside::importers::kineto {
namespace {

using model::Interval;

// Joins half ranges, gives the times of scanned rows a common origin, and removes implausible ones.

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
    visitColumns(rows.operators);
    for (const Allocation& row : rows.allocations) {
        visit(row.timeNs, row.timeNs);
    }
    for (const trace::RangeRow& row : rows.ranges) {
        visit(row.startNs, row.endNs);
    }
    for (const Collective& row : rows.collectives) {
        visit(row.startNs, row.endNs);
    }
    for (const trace::StepRow& row : rows.steps) {
        visit(row.startNs, row.endNs);
    }
}

void shiftTimes(Rows& rows, std::int64_t ns)
{
    const auto shiftAll = [ns](auto&... columns) { (columns.shift(ns), ...); };
    shiftAll(rows.kernels.startNs, rows.kernels.endNs, rows.copies.startNs, rows.copies.endNs,
             rows.apiCalls.startNs, rows.apiCalls.endNs, rows.launches.startNs, rows.launches.endNs,
             rows.pythonCalls.startNs, rows.pythonCalls.endNs, rows.operators.startNs, rows.operators.endNs);
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
    for (trace::StepRow& row : rows.steps) {
        row.startNs += ns;
        row.endNs += ns;
    }
}

/// The largest distance of a row from the median start. It is half of the largest plausible time, so that all
/// rows remain plausible when they count from the earliest one.
constexpr std::int64_t kFarthest = trace::kFarthestTimeNs / 2;

template <class Row, class Columns>
std::int64_t keepWithin(Columns& columns, const Interval& span)
{
    Columns kept;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns.startNs[i] >= span.start && columns.endNs[i] <= span.end) {
            trace::TableOf<Row>::forEachColumn([&](const char*, trace::Encoding, auto, auto member) {
                (kept.*member).push_back((columns.*member)[i]);
            });
        }
    }
    const auto removed = static_cast<std::int64_t>(columns.size() - kept.size());
    columns = std::move(kept);
    return removed;
}

/// Returns whether events at time 0 have no time. Some tools count from the begin of the recording, so that 0
/// is a time like others. If 0 is further from the other times than these are from each other, it is none.
/// `starts` ascend without repetition.
bool isZeroApart(const std::vector<std::int64_t>& starts)
{
    constexpr std::size_t kFewest = 3;
    if (starts.size() < kFewest || starts.front() != 0) {
        return false;
    }
    for (std::size_t i = 2; i < starts.size(); ++i) {
        if (starts[i] - starts[i - 1] >= starts[1]) {
            return false;
        }
    }
    return true;
}

/// Returns the times that rows may have: around the median of the different starts. Wrong times change that
/// little, because they are few, or many of them are the same.
Interval plausibleSpan(const Rows& rows)
{
    std::vector<std::int64_t> starts;
    visitTimes(rows, [&](const std::int64_t& start, const std::int64_t&) { starts.push_back(start); });
    std::ranges::sort(starts);
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    const std::int64_t middle = starts[starts.size() / 2];
    const std::int64_t first = middle - kFarthest;
    return {isZeroApart(starts) ? std::max<std::int64_t>(1, first) : first, middle + kFarthest};
}

/// Removes rows that are years apart from the others or have no time, and counts them.
void removeStrayRows(Rows& rows)
{
    const Interval span = plausibleSpan(rows);
    const auto isStray = [&](const auto& row) { return row.startNs < span.start || row.endNs > span.end; };
    const auto isStrayMoment = [&](const Allocation& row) {
        return row.timeNs < span.start || row.timeNs > span.end;
    };
    rows.counts.implausible += keepWithin<trace::KernelRow>(rows.kernels, span) +
                               keepWithin<trace::CopyRow>(rows.copies, span) +
                               keepWithin<trace::ApiCallRow>(rows.apiCalls, span) +
                               keepWithin<trace::PythonCallRow>(rows.pythonCalls, span) +
                               static_cast<std::int64_t>(std::erase_if(rows.allocations, isStrayMoment)) +
                               static_cast<std::int64_t>(std::erase_if(rows.ranges, isStray));
    // The events of these rows were counted above.
    keepWithin<trace::LaunchRow>(rows.launches, span);
    keepWithin<trace::OperatorRow>(rows.operators, span);
    std::erase_if(rows.collectives, isStray);
    std::erase_if(rows.steps, isStray);
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

/// Joins events of phases B and E to ranges, as they nest on each thread. Returns the number of events
/// without their other half.
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

/// Subtracts the earliest start from all times, and returns it. Rows that are years apart from the others, or
/// have no time, are removed and counted as implausible.
std::int64_t useOwnOrigin(Rows& rows)
{
    Bounds bounds = boundsOf(rows);
    if (bounds.first > bounds.last) {
        return 0;
    }
    if (bounds.first == 0 || bounds.last - bounds.first > kFarthest) {
        removeStrayRows(rows);
        bounds = boundsOf(rows);
    }
    shiftTimes(rows, -bounds.first);
    return bounds.first;
}

/// Reports the events that no table can hold. The message names their kinds, not their numbers, so that it is
/// the same for all ranks of a run.
void noteLeftOut(trace::ProcessTrace& process, const Counts& counts)
{
    const auto ofCategory = [&](Category category) {
        return counts.categories[static_cast<std::size_t>(category)];
    };
    std::vector<const char*> kinds;
    std::int64_t total = 0;
    const auto add = [&](std::int64_t count, const char* kind) {
        if (count > 0) {
            kinds.push_back(kind);
            total += count;
        }
    };
    add(counts.pythonBeyond, "Python functions beyond 20 million");
    add(counts.hostAllocations, "allocations of host memory");
    add(ofCategory(Category::DeviceAnnotation), "annotations repeated on the device");
    add(ofCategory(Category::Synchronisation), "synchronisation records");
    add(ofCategory(Category::Overhead), "records of the profiler's overhead");
    add(ofCategory(Category::Span), "profiler spans");
    add(counts.flows, "flows");
    add(counts.instants, "instants");
    add(counts.counters, "counters");
    add(counts.unknownPhases, "events of unknown phases");
    for (const auto& [kind, count] : counts.others) {
        add(count, kind.c_str());
    }
    note(process, trace::Issue::EventsLeftOut, total,
         fmt::format("events for which the trace has no table: {}", fmt::join(kinds, ", ")));
}

void noteProblems(trace::ProcessTrace& process, const Counts& counts, std::int64_t alone,
                  std::int64_t damaged)
{
    note(process, trace::Issue::ImplausibleTime, counts.implausible,
         "events have impossible times or durations and were left out");
    note(process, trace::Issue::IncompleteEvent, counts.incomplete,
         "events do not name their device, stream or thread and were left out");
    note(process, trace::Issue::SeveralProcesses, counts.otherProcess,
         "host events come from several processes; all were attributed to the first process");
    note(process, trace::Issue::HalfRange, alone,
         "begins of ranges have no end, or ends have no begin; they were left out");
    note(process, trace::Issue::DamagedMember, damaged,
         "members of the file other than its events cannot be read");
}

/// Fills table thread, and replaces the kernel's thread ids by the ids of its rows.
void addThreads(trace::ProcessTrace& process, Rows& rows)
{
    std::unordered_map<std::int64_t, std::int64_t> ids;
    std::int64_t lastTid = -1;
    std::int64_t lastId = 0;
    const auto idOf = [&](std::int64_t tid) {
        if (tid == lastTid) {
            return lastId;
        }
        const auto [entry, fresh] = ids.try_emplace(tid, static_cast<std::int64_t>(ids.size()) + 1);
        if (fresh) {
            const auto name = rows.threadNames.find(tid);
            process.threads.push_back(
                {entry->second, tid, name != rows.threadNames.end() ? name->second : ""});
        }
        lastTid = tid;
        return lastId = entry->second;
    };
    rows.apiCalls.thread.transform([&](std::uint32_t tid) { return static_cast<std::uint32_t>(idOf(tid)); });
    rows.pythonCalls.thread.transform(
        [&](std::uint32_t tid) { return static_cast<std::uint32_t>(idOf(tid)); });
    for (trace::RangeRow& row : rows.ranges) {
        row.thread = idOf(static_cast<std::uint32_t>(row.thread)); // 32 bits, as in the columns
    }
    for (trace::StepRow& row : rows.steps) {
        row.thread = row.thread == 0 ? 0 : idOf(static_cast<std::uint32_t>(row.thread));
    }
}

/// Gives copies without bytes those of their call: older versions of PyTorch on AMD write them only there.
void addCallBytes(Rows& rows)
{
    std::size_t i = 0;
    rows.copies.bytes.transform([&](std::uint64_t bytes) {
        const auto call = bytes == 0 ? rows.callBytes.find(rows.copies.correlation[i]) : rows.callBytes.end();
        ++i;
        return call != rows.callBytes.end() ? call->second : bytes;
    });
}

void addDevices(trace::ProcessTrace& process, const Document& document)
{
    std::set<std::uint32_t> used(process.kernels.device.begin(), process.kernels.device.end());
    used.insert(process.copies.device.begin(), process.copies.device.end());
    for (const std::uint32_t ordinal : used) {
        const auto known =
            std::ranges::find(document.devices, std::int64_t{ordinal}, &trace::DeviceRow::ordinal);
        trace::DeviceRow row = known != document.devices.end() ? *known : trace::DeviceRow();
        row.ordinal = ordinal;
        process.devices.push_back(std::move(row));
    }
    if (document.rank) {
        trace::RankRow row;
        row.rank = *document.rank;
        row.worldSize = document.worldSize;
        row.device = used.size() == 1 ? std::optional<std::int64_t>(*used.begin()) : std::nullopt;
        row.source = "distributedInfo";
        process.ranks.push_back(std::move(row));
    }
}

/// Adds two series for each GPU whose allocator was recorded.
void addAllocator(trace::ProcessTrace& process, const std::vector<Allocation>& allocations)
{
    std::map<std::pair<std::uint32_t, trace::SeriesName>, std::uint32_t> ids;
    const auto add = [&](const Allocation& row, trace::SeriesName name, std::optional<std::int64_t> bytes) {
        if (!bytes) {
            return;
        }
        const auto next = static_cast<std::uint32_t>(process.series.size() + 1);
        const auto [id, fresh] = ids.try_emplace({row.device, name}, next);
        if (fresh) {
            process.series.push_back(trace::seriesRow(name, next, fmt::format("gpu{}", row.device)));
        }
        process.samples.timeNs.push_back(row.timeNs);
        process.samples.series.push_back(id->second);
        process.samples.value.push_back(*bytes);
    };
    for (const Allocation& row : allocations) {
        add(row, trace::SeriesName::AllocatorAllocated, row.allocatedBytes);
        add(row, trace::SeriesName::AllocatorReserved, row.reservedBytes);
    }
}

void addTiers(trace::ProcessTrace& process, const Recorder& recorder)
{
    const auto add = [&](trace::TierName tier, bool active, const char* reason) {
        process.tiers.push_back({std::move(tier), active, reason, std::nullopt, std::nullopt});
    };
    const bool work = process.kernels.size() + process.copies.size() > 0;
    add("device", work, work ? recorder.device : recorder.noDevice);
    add("host", process.apiCalls.size() > 0, recorder.host);
    add("nvtx", !process.ranges.empty(), recorder.ranges);
    add("nccl", false, recorder.nccl);
    add("sampled", false, recorder.sampled);
}

void setClock(trace::ProcessTrace& process, std::int64_t origin, std::optional<std::int64_t> baseTimeNs)
{
    constexpr std::int64_t kYear2000 = 946'684'800'000'000'000;
    std::int64_t end = 0;
    const auto grow = [&](const trace::Column<std::int64_t>& ends) {
        end = ends.empty() ? end : std::max(end, *std::ranges::max_element(ends));
    };
    grow(process.kernels.endNs);
    grow(process.copies.endNs);
    grow(process.apiCalls.endNs);
    grow(process.pythonCalls.endNs);
    grow(process.samples.timeNs);
    for (const trace::RangeRow& row : process.ranges) {
        end = std::max(end, row.endNs);
    }
    process.process.endNs = end;
    // Without a base, times are epoch times. If they are too early for that, the program that wrote them
    // counted from its own start, and the time of day is not known.
    const std::int64_t realtime = baseTimeNs.value_or(0) + origin;
    if (realtime >= kYear2000 && realtime <= trace::kFarthestDateNs) {
        process.clockSamples.push_back({0, realtime, std::nullopt, std::nullopt});
    }
}

} // namespace

trace::ProcessTrace assemble(Rows&& rows, Document&& document, const Recorder& recorder)
{
    trace::ProcessTrace process;
    const std::int64_t alone = joinHalves(rows);
    const std::int64_t origin = useOwnOrigin(rows);
    if (recorder.isHostClock) {
        shiftTimes(rows, origin);
    }
    for (trace::StringId id = 1; id < rows.names.size(); ++id) {
        process.strings.emplace(id, recorder.decode(rows.names.text(id)));
    }
    process.process.pid = values::parseNumber<std::int64_t>(rows.pid).value_or(0);
    process.process.command = rows.processNames.contains(rows.pid) ? rows.processNames[rows.pid] : "";
    addThreads(process, rows);
    addCallBytes(rows);
    process.kernels = std::move(rows.kernels);
    process.launchConfigurations = rows.configurations.take();
    process.copies = std::move(rows.copies);
    process.apiCalls = std::move(rows.apiCalls);
    process.launches = std::move(rows.launches);
    process.pythonCalls = std::move(rows.pythonCalls);
    process.operators = std::move(rows.operators);
    addAllocator(process, rows.allocations);
    addDevices(process, document);
    trace::sortAsRead(process);
    addCollectives(process, rows, document);
    process.ranges = std::move(rows.ranges);
    process.steps = std::move(rows.steps);
    std::ranges::stable_sort(process.steps, {}, &trace::StepRow::startNs);
    nestRanges(process.ranges);
    setClock(process, origin, document.baseTimeNs);
    process.process.startNs = recorder.isHostClock ? origin : 0;
    addTiers(process, recorder);
    process.settings = std::move(document.settings);
    noteProblems(process, rows.counts, alone, document.damaged);
    noteLeftOut(process, rows.counts);
    note(process, trace::Issue::ConfigurationsLeftOut, rows.configurations.refused(),
         "launch configurations beyond the first 65535 are not stored");
    return process;
}

} // namespace ringside::importers::kineto
