// SPDX-License-Identifier: Apache-2.0
#include "report/report_tables.h"

#include "report/communicators.h"
#include "report/message_groups.h"
#include "report/rank_groups.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace ringside::report {
namespace {

struct PlaceColumn {
    std::string_view name;
    std::optional<std::int64_t> model::ParallelPlace::*number;
    std::int64_t model::ParallelSizes::*size;
};

constexpr std::array kPlaceColumns = {
    PlaceColumn{"stage", &model::ParallelPlace::stage, &model::ParallelSizes::pipeline},
    PlaceColumn{"replica", &model::ParallelPlace::replica, &model::ParallelSizes::data},
    PlaceColumn{"tensor", &model::ParallelPlace::tensor, &model::ParallelSizes::tensor},
    PlaceColumn{"context", &model::ParallelPlace::context, &model::ParallelSizes::context},
    PlaceColumn{"expert", &model::ParallelPlace::expert, &model::ParallelSizes::expert}};

/// Returns a column for each dimension in which the job is parallel.
std::vector<PlaceColumn> placeColumns(const model::ParallelLayout& layout)
{
    std::vector<PlaceColumn> columns;
    std::ranges::copy_if(kPlaceColumns, std::back_inserter(columns), [&](const PlaceColumn& column) {
        return layout.isKnown() && layout.sizes.*column.size > 1;
    });
    return columns;
}

/// Returns the position of a rank in one dimension: "3/4".
document::Cell placeCell(const model::ParallelLayout& layout, std::size_t rank, const PlaceColumn& column)
{
    return document::Cell((layout.places[rank].*column.number).value_or(1))
        .with(fmt::format("/{}", layout.sizes.*column.size));
}

document::Cell overlapCell(const metrics::Breakdown& total)
{
    constexpr int kDecimals = 0;
    return total.communicationNs > 0 ? document::shareCell(static_cast<double>(total.overlapNs) /
                                                               static_cast<double>(total.communicationNs),
                                                           kDecimals)
                                     : document::Cell::absent("no communication");
}

document::Cell busBandwidthCell(std::optional<double> gigabytesPerS)
{
    return {gigabytesPerS, values::Unit::GigabytesPerSecond, {.digits = 2}};
}

template <class Number>
std::optional<double> toDouble(const std::optional<Number>& value)
{
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

/// The figures of a row; of a group, `rank` holds the sums over its members.
std::vector<document::Cell> breakdownCells(const Report& report, const metrics::RankMetrics& rank)
{
    const document::Cell unknown = document::Cell::absent(
        report.metrics.arrivalsMeasured()
            ? "not judged: the clocks of the ranks are less exact than their arrivals at collectives differ"
            : "not measured: the arrivals of ranks at collectives are not known");
    const metrics::Breakdown& total = rank.total;
    const bool arrived = report.metrics.waitsKnown();
    const auto ms = [&](std::int64_t ns) {
        return document::millisecondsCell(static_cast<double>(rank.ofAStep(ns)));
    };
    return {ms(total.stepNs),
            ms(total.computeNs),
            ms(total.exposedCommunicationNs),
            ms(total.exposedCopyNs),
            ms(total.idleNs),
            document::ratioCell(total.ratio()),
            overlapCell(total),
            document::shareCell(total.utilization()),
            report.metrics.usefulMeasured() ? document::shareCell(total.usefulUtilization()) : unknown,
            arrived ? ms(total.waitNs) : unknown,
            arrived ? document::Cell(rank.lastArrivals) : unknown};
}

std::vector<document::Cell> breakdownRow(const Report& report, const metrics::RankMetrics& rank)
{
    std::vector<document::Cell> row{report.model.ranks[rank.rank].rank};
    for (const PlaceColumn& column : placeColumns(report.model.layout)) {
        row.push_back(placeCell(report.model.layout, rank.rank, column));
    }
    const std::vector<document::Cell> figures = breakdownCells(report, rank);
    row.insert(row.end(), figures.begin(), figures.end());
    return row;
}

std::vector<std::string> breakdownHeader(const Report& report, std::vector<std::string> first)
{
    for (std::string title :
         {fmt::format("{}\nms", report.periodWord()), std::string("compute\nms"),
          std::string("exposed\ncomm ms"), std::string("exposed\ncopy ms"), std::string("idle\nms"),
          std::string("comm/\ncompute"), std::string("overlap"), std::string("busy"), std::string("useful"),
          std::string("wait\nms"), std::string("came\nlast")}) {
        first.push_back(std::move(title));
    }
    return first;
}

/// Columns of a rank, with those that say its place in the job.
document::Table emptyBreakdown(const Report& report)
{
    std::vector<std::string> header{"rank"};
    for (const PlaceColumn& column : placeColumns(report.model.layout)) {
        header.emplace_back(column.name);
    }
    return {breakdownHeader(report, std::move(header)), {}};
}

} // namespace

document::Table breakdownTable(const Report& report)
{
    document::Table table = emptyBreakdown(report);
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        table.rows.push_back(breakdownRow(report, rank));
    }
    return table;
}

document::Table groupBreakdownTable(const Report& report, std::size_t most)
{
    const RankGroups groups = groupRanks(report, most);
    document::Table table{breakdownHeader(report, {std::string(groups.by), "ranks"}), {}};
    for (const RankGroup& group : groups.groups) {
        metrics::RankMetrics sum;
        for (const std::size_t place : group.members) {
            const metrics::RankMetrics& rank = report.metrics.ranks[place];
            sum.periods += rank.periods;
            sum.total += rank.total;
            sum.lastArrivals = model::addCapped(sum.lastArrivals, rank.lastArrivals);
        }
        std::vector<document::Cell>& row = table.rows.emplace_back();
        row = {document::Cell(group.name), document::Cell(group.members.size())};
        const std::vector<document::Cell> figures = breakdownCells(report, sum);
        row.insert(row.end(), figures.begin(), figures.end());
    }
    return table;
}

document::Table outlierTable(const Report& report, std::size_t most)
{
    document::Table table = emptyBreakdown(report);
    for (const std::size_t place : outlyingRanks(report, most)) {
        table.rows.push_back(breakdownRow(report, report.metrics.ranks[place]));
    }
    return table;
}

document::Table timedTable(const Report& report)
{
    document::Table table{{"rank", "communication\nms", "wait\nms", "transfer\nms", "came\nlast"}, {}};
    const auto steps =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(report.metrics.timed.steps.size()));
    const auto ms = [steps](std::int64_t ns) {
        const std::int64_t each = ns / steps;
        return document::millisecondsCell(static_cast<double>(each));
    };
    for (const metrics::TimedRank& rank : report.metrics.timed.ranks) {
        table.rows.push_back({report.model.ranks[rank.rank].rank, ms(rank.communicationNs), ms(rank.waitNs),
                              ms(rank.transferNs), rank.lastArrivals});
    }
    return table;
}

document::Table idleTable(const Report& report)
{
    document::Table table{{"rank", "waiting\nfor data", "after a\nsync. call", "host busy\nelsewhere",
                           "launch\nlatency", "between\nkernels", "queued,\nwaiting", "unknown"},
                          {}};
    static_assert(metrics::kIdleClasses == 7);
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        std::vector<document::Cell>& row = table.rows.emplace_back();
        row.emplace_back(report.model.ranks[rank.rank].rank);
        for (const std::int64_t ns : rank.idle.ns) {
            row.push_back(document::millisecondsCell(static_cast<double>(rank.ofAStep(ns))));
        }
    }
    return table;
}

namespace {

using Alike = std::vector<const metrics::CollectiveGroup*>;

/// Groups collectives of one kind, size and number of ranks, in the order of the report.
std::vector<Alike> alikeCollectives(const Report& report)
{
    std::vector<Alike> all;
    std::map<std::tuple<model::CollectiveKind, std::optional<std::uint64_t>, std::int64_t>, std::size_t>
        places;
    for (const metrics::CollectiveGroup& group : report.metrics.collectives) {
        const auto [place, isNew] = places.try_emplace({group.kind, group.bytes, group.ranks}, all.size());
        if (isNew) {
            all.emplace_back();
        }
        all[place->second].push_back(&group);
    }
    return all;
}

std::int64_t callsOf(const Alike& alike)
{
    std::int64_t calls = 0;
    for (const metrics::CollectiveGroup* group : alike) {
        calls = model::addCapped(calls, group->count);
    }
    return calls;
}

/// Returns null if none is measured.
template <typename Value>
std::optional<double> medianOf(const Alike& alike, std::optional<Value> metrics::CollectiveGroup::*figure)
{
    std::vector<double> values;
    for (const metrics::CollectiveGroup* group : alike) {
        if (group->*figure) {
            values.push_back(static_cast<double>(*(group->*figure)));
        }
    }
    return values.empty() ? std::nullopt : std::optional(values::median(std::move(values)));
}

} // namespace

document::Table collectiveTable(const Report& report, std::optional<std::uint64_t> communicator)
{
    document::Table table{{"collective", "ranks", "size", "calls\nin run", "transfer\nus", "busbw\nGB/s",
                           "kernel\nus", "busbw GB/s\non kernel"},
                          {}};
    const auto communicators = communicatorLabels(report);
    if (!communicators.empty()) {
        table.header.emplace_back("communicator");
    }
    for (const metrics::CollectiveGroup& group : report.metrics.collectives) {
        if (communicator && group.communicator != *communicator) {
            continue;
        }
        std::vector<document::Cell>& row = table.rows.emplace_back();
        row = {model::collectiveName(group.kind),
               group.ranks > 0 ? document::Cell(group.ranks) : document::Cell::absent("not known"),
               document::sizeCell(toDouble(group.bytes)),
               group.count,
               document::microsecondsCell(toDouble(group.transferNs)),
               busBandwidthCell(group.transferBusGBs),
               document::microsecondsCell(toDouble(group.kernelNs)),
               busBandwidthCell(group.kernelBusGBs)};
        if (!communicators.empty()) {
            row.emplace_back(communicators.at(group.communicator));
        }
    }
    return table;
}

document::Table collectiveKindTable(const Report& report)
{
    document::Table table{{"collective", "ranks", "size", "communi-\ncators", "calls\nin run", "transfer\nus",
                           "busbw\nGB/s", "slowest\nus", "slowest\ncommunicator"},
                          {}};
    const auto labels = communicatorLabels(report);
    for (const std::vector<const metrics::CollectiveGroup*>& alike : alikeCollectives(report)) {
        const metrics::CollectiveGroup& first = *alike.front();
        const metrics::CollectiveGroup& slowest =
            **std::ranges::max_element(alike, {}, &metrics::CollectiveGroup::transferNs);
        const auto label = labels.find(slowest.communicator);
        table.rows.push_back(
            {model::collectiveName(first.kind),
             first.ranks > 0 ? document::Cell(first.ranks) : document::Cell::absent("not known"),
             document::sizeCell(toDouble(first.bytes)), alike.size(), callsOf(alike),
             document::microsecondsCell(medianOf(alike, &metrics::CollectiveGroup::transferNs)),
             busBandwidthCell(medianOf(alike, &metrics::CollectiveGroup::transferBusGBs)),
             document::microsecondsCell(toDouble(slowest.transferNs)),
             slowest.transferNs && label != labels.end() ? document::Cell(label->second) : document::Cell()});
    }
    return table;
}

document::Table messageTable(const Report& report)
{
    document::Table table{{"call", "ranks", "pairs", "size", "calls", "volume"}, {}};
    for (const MessageGroup& group : report.messages) {
        table.rows.push_back({model::collectiveName(group.kind), group.ranks, group.pairs,
                              document::sizeCell(toDouble(group.bytes)), group.calls,
                              document::sizeCell(toDouble(group.totalBytes))});
    }
    return table;
}

std::string breakdownTitle(const Report& report)
{
    return report.model.recordingIsStep() ? "Where each second of the recording goes"
                                          : "Where a step goes, mean over the analyzed steps";
}

std::string idleTitle(const Report& report)
{
    return fmt::format("Idle time of a {} by its cause, ms", report.periodWord());
}

const char* collectivesTitle(const Report& report)
{
    return report.metrics.collectivesOfWholeRun
               ? "Collectives, medians of the whole run, as no step was found"
               : "Collectives, medians of the analyzed steps";
}

} // namespace ringside::report
