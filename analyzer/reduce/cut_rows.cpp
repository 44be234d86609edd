// SPDX-License-Identifier: Apache-2.0
#include "reduce/cut_rows.h"

#include "model/time.h"
#include "trace/tables.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/recording_windows.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ringside::reduce {
namespace {

/// Adds the parts of the windows that lie in a kept time. A window without an end lasts to the end of the
/// process.
void addWithin(std::vector<trace::WindowRow>& to, const std::vector<trace::WindowRow>& windows,
               const model::Interval& time)
{
    for (trace::WindowRow window : windows) {
        window.startNs = std::max(window.startNs, time.start);
        window.endNs = std::min(window.endNs.value_or(time.end), time.end);
        if (window.startNs < *window.endNs) {
            to.push_back(std::move(window));
        }
    }
}

trace::WindowRow pause(std::int64_t startNs, std::optional<std::int64_t> endNs)
{
    return {trace::LevelName("paused"), startNs, endNs, std::string(trace::kNotInSummary)};
}

/// Returns the windows of a process as far as they lie within `kept` (ascending, disjoint), and pauses for
/// the times between, before and behind it.
std::vector<trace::WindowRow> keptWindows(const trace::ProcessTrace& process,
                                          const std::vector<model::Interval>& kept)
{
    std::vector<trace::WindowRow> windows;
    std::int64_t reached = process.process.startNs;
    for (const model::Interval& time : kept) {
        if (reached < time.start) {
            windows.push_back(pause(reached, time.start));
        }
        addWithin(windows, process.windows, time);
        reached = time.end;
    }
    windows.push_back(pause(reached, std::nullopt));
    return windows;
}

using Ids = std::unordered_set<std::uint64_t>;

/// Keeps the rows of a chunked table whose index `keep` accepts.
template <class Row, class Columns, class Keep>
void keepRows(Columns& columns, const Keep& keep)
{
    Columns kept;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (keep(i)) {
            trace::TableOf<Row>::forEachColumn([&](const char*, trace::Encoding, auto, auto column) {
                (kept.*column).push_back((columns.*column)[i]);
            });
        }
    }
    columns = std::move(kept);
}

template <class Rows>
Ids idsOf(const Rows& rows)
{
    Ids ids;
    for (const auto& row : rows) {
        ids.insert(static_cast<std::uint64_t>(row.id));
    }
    return ids;
}

/// Finds the last calls of each communicator, by id. Those that a graph captured stay all.
Ids lastCalls(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, std::vector<std::pair<std::int64_t, std::uint64_t>>> calls;
    for (const trace::CollectiveCallRow& row : process.collectiveCalls) {
        if (!row.graph) {
            calls[row.communicator].emplace_back(row.sequence, static_cast<std::uint64_t>(row.id));
        }
    }
    Ids last;
    for (auto& [communicator, each] : calls) {
        std::ranges::sort(each);
        for (std::size_t i = each.size() - std::min(each.size(), kLastCalls); i < each.size(); ++i) {
            last.insert(each[i].second);
        }
    }
    return last;
}

void cutHost(trace::ProcessTrace& process, const KeptTimes& kept)
{
    const auto isLeftOut = [&](const auto& row) { return !kept.holds(row.startNs); };
    const Ids last = lastCalls(process);
    std::erase_if(process.collectiveCalls, [&](const trace::CollectiveCallRow& row) {
        return isLeftOut(row) && !row.graph && !last.contains(static_cast<std::uint64_t>(row.id));
    });
    std::erase_if(process.groups, isLeftOut);
    std::erase_if(process.ncclOperations, isLeftOut);
    std::erase_if(process.steps, isLeftOut);
    std::erase_if(process.stepTraffic, isLeftOut);
    std::erase_if(process.ranges, [&](const trace::RangeRow& row) {
        return std::ranges::none_of(kept.host, [&](const model::Interval& time) {
            return row.startNs < time.end && row.endNs >= time.start;
        });
    });
    keepRows<trace::PythonCallRow>(process.pythonCalls,
                                   [&](std::size_t i) { return kept.holds(process.pythonCalls.startNs[i]); });
    keepRows<trace::OperatorRow>(process.operators,
                                 [&](std::size_t i) { return kept.holds(process.operators.startNs[i]); });
    keepRows<trace::ApiCallRow>(process.apiCalls,
                                [&](std::size_t i) { return kept.holds(process.apiCalls.startNs[i]); });
    keepRows<trace::GraphLaunchRow>(
        process.graphLaunches, [&](std::size_t i) { return kept.holds(process.graphLaunches.startNs[i]); });
}

/// Device work stays with its launch. Where no launches were recorded, its own time decides.
void cutDevice(trace::ProcessTrace& process, const KeptTimes& kept)
{
    const bool byTime = process.launches.size() == 0;
    keepRows<trace::LaunchRow>(process.launches,
                               [&](std::size_t i) { return kept.holds(process.launches.startNs[i]); });
    Ids launched;
    for (const std::uint32_t correlation : process.launches.correlation) {
        launched.insert(correlation);
    }
    const auto cut = [&]<class Row>(Row, auto& work) {
        keepRows<Row>(work, [&](std::size_t i) {
            return byTime ? kept.holds(work.startNs[i]) : launched.contains(work.correlation[i]);
        });
    };
    cut(trace::KernelRow(), process.kernels);
    cut(trace::CopyRow(), process.copies);
    const Ids used(process.kernels.configuration.begin(), process.kernels.configuration.end());
    std::erase_if(process.launchConfigurations, [&](const trace::LaunchConfigurationRow& row) {
        return !used.contains(static_cast<std::uint64_t>(row.id));
    });
}

/// What refers to calls stays with them.
void cutReferences(trace::ProcessTrace& process, const KeptTimes& kept)
{
    Ids calls = idsOf(process.collectiveCalls);
    calls.merge(idsOf(process.groups));
    for (const std::uint64_t launch : process.graphLaunches.launch) {
        calls.insert(launch);
    }
    const Ids operations = idsOf(process.ncclOperations);
    keepRows<trace::CallCorrelationRow>(process.callCorrelations, [&](std::size_t i) {
        return calls.contains(process.callCorrelations.call[i]);
    });
    keepRows<trace::EventTimeRow>(process.eventTimes,
                                  [&](std::size_t i) { return calls.contains(process.eventTimes.call[i]); });
    keepRows<trace::ChannelTimeRow>(process.channelTimes, [&](std::size_t i) {
        return operations.contains(process.channelTimes.operation[i]);
    });
    keepRows<trace::KernelPhaseRow>(process.kernelPhases, [&](std::size_t i) {
        return operations.contains(process.kernelPhases.operation[i]);
    });
    std::erase_if(process.callConfigs, [&](const trace::CallConfigRow& row) {
        return !calls.contains(static_cast<std::uint64_t>(row.call));
    });
    std::erase_if(process.ncclDetails, [&](const trace::NcclDetailRow& row) {
        return !operations.contains(static_cast<std::uint64_t>(row.operation));
    });
    keepRows<trace::ProxyStepRow>(process.proxySteps, [&](std::size_t i) {
        const std::uint64_t operation = process.proxySteps.operation[i];
        return operation == 0 ? kept.holds(process.proxySteps.startNs[i]) : operations.contains(operation);
    });
}

/// Decides about rows that come one after the other: every n-th of `count` stays, and the last one.
bool isThinned(std::size_t place, std::size_t count)
{
    const std::size_t every = (count + kSamplesOfASeries - 1) / kSamplesOfASeries;
    return place + 1 < count && place % every != 0;
}

void thinSamples(trace::ProcessTrace& process, const KeptTimes& kept)
{
    std::unordered_map<std::uint32_t, std::size_t> counts;
    for (const std::uint32_t series : process.samples.series) {
        ++counts[series];
    }
    Ids events; // each of their samples is something that happened
    for (const trace::SeriesRow& row : process.series) {
        if (row.kind == "event") {
            events.insert(static_cast<std::uint64_t>(row.id));
        }
    }
    std::unordered_map<std::uint32_t, std::size_t> places;
    keepRows<trace::SampleRow>(process.samples, [&](std::size_t i) {
        const std::uint32_t series = process.samples.series[i];
        return !isThinned(places[series]++, counts[series]) || events.contains(series) ||
               kept.holds(process.samples.timeNs[i]);
    });
    std::size_t place = 0;
    const std::size_t readings = process.clockSamples.size();
    std::erase_if(process.clockSamples,
                  [&](const trace::ClockSampleRow&) { return isThinned(place++, readings); });
}

/// Adds the strings that the rows of a chunked table name. Other columns of this width are small numbers:
/// a few strings stay that nobody needs.
void addNames(const trace::ProcessTrace& process, Ids& names)
{
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    {                                                                                                        \
        const auto& columns = process.member;
#define RINGSIDE_COLUMN(member, sqlName, encoding)                                                           \
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(columns.member[0])>, trace::StringId>) {       \
        for (const trace::StringId id : columns.member) {                                                    \
            names.insert(id);                                                                                \
        }                                                                                                    \
    }
#define RINGSIDE_END_TABLE }
#include "trace/chunk_tables.def"
}

template <class Row>
void addNamesOf(const std::vector<Row>& rows, Ids& names)
{
    for (const Row& row : rows) {
        trace::TableOf<Row>::forEachColumn([&](const char*, auto column) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(row.*column)>, trace::StringId>) {
                names.insert(row.*column);
            }
        });
    }
}
void addNamesOf(const trace::ProcessRow&, Ids&) {}

void dropUnusedStrings(trace::ProcessTrace& process)
{
    Ids names;
    addNames(process, names);
#define RINGSIDE_PLAIN_TABLE(RowType, member, sqlName, keyColumns, orderColumns)                             \
    addNamesOf(process.member, names);
#define RINGSIDE_COLUMN(member, sqlName)
#define RINGSIDE_END_TABLE
#include "trace/plain_tables.def"
    std::erase_if(process.strings, [&](const auto& string) { return !names.contains(string.first); });
}

} // namespace

void cutRows(trace::ProcessTrace& process, const KeptTimes& kept)
{
    cutDevice(process, kept);
    cutHost(process, kept);
    cutReferences(process, kept);
    thinSamples(process, kept);
    dropUnusedStrings(process);
    process.windows = keptWindows(process, kept.host);
    process.ringProgress.clear();
}

} // namespace ringside::reduce
