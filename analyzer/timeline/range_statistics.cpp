// SPDX-License-Identifier: Apache-2.0
#include "timeline/range_statistics.h"

#include "model/unrecorded_device.h"
#include "timeline/work_in_range.h"
#include "trace/read/parallel.h"
#include "values/text.h"

#include <fmt/format.h>

namespace ringside::timeline {
namespace {

// columns
constexpr std::size_t kWaiting = 4;
constexpr std::size_t kLastArrivals = 8;

document::Cell notMeasured()
{
    return document::Cell::absent("not measured");
}

document::Cell shareCell(const metrics::Breakdown& all, std::int64_t part)
{
    return document::durationCell(part).with(fmt::format(" ({})", values::percent(all.share(part))));
}

void addPeaks(const Timeline& timeline, const Interval& range, std::vector<RankInRange>& ranks)
{
    constexpr double kGigabyte = 1e9; // the unit of the line
    for (const SampleLine& line : timeline.samples) {
        if (line.rank && line.source == "allocator" && line.metric == "allocated_bytes") {
            if (const auto most = mostIn(line, range)) {
                ranks[*line.rank].peakAllocatedBytes = *most * kGigabyte;
            }
        }
    }
}

} // namespace

std::vector<RankInRange> statisticsOf(const model::Model& model, const Timeline& timeline,
                                      const Interval& range)
{
    std::vector<RankInRange> ranks(model.ranks.size());
    trace::parallelFor(ranks.size(), trace::coreCount(), [&](std::size_t rank) {
        ranks[rank].rank = rank;
        if (!timeline.collectives.empty()) {
            ranks[rank].lastArrivals = 0;
        }
        if (!model.ranks[rank].deviceTier) {
            return;
        }
        const WorkInRange work(timeline.tracksOf(rank), range);
        const std::vector<Interval> recorded = model::recordedDevice(model, model.ranks[rank], range);
        const std::vector<metrics::Coverage> covered = work.sweep(recorded);
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            ranks[rank].device = ranks[rank].device.value_or(metrics::Breakdown());
            *ranks[rank].device += values::breakDown(recorded[i].length(), covered[i]);
        }
    });
    const auto begin =
        std::ranges::lower_bound(timeline.collectives, range.start, {}, &MatchedCollective::lastArrivalNs);
    for (auto it = begin; it != timeline.collectives.end() && it->lastArrivalNs < range.end; ++it) {
        *ranks[it->lateRank].lastArrivals += it->lostNs > 0 ? 1 : 0;
    }
    addPeaks(timeline, range, ranks);
    return ranks;
}

document::Table tableOf(const model::Model& model, const std::vector<RankInRange>& ranks)
{
    document::Table table;
    table.header = {
        "rank",         "compute", "communication", "exposed communication", "of it waiting",
        "exposed copy", "idle",    "GPU busy",      "last arrivals",         "device work recorded"};
    // only the PyTorch profiler records it: elsewhere a column of "not measured" would take room
    const bool memory = std::ranges::any_of(
        ranks, [](const RankInRange& each) { return each.peakAllocatedBytes.has_value(); });
    if (memory) {
        table.header.emplace_back("peak of tensors");
    }
    for (const RankInRange& each : ranks) {
        auto& row = table.rows.emplace_back();
        row.emplace_back(model.ranks[each.rank].rank);
        if (!each.device) {
            row.resize(kLastArrivals, notMeasured());
        } else {
            const metrics::Breakdown& device = *each.device;
            for (const std::int64_t part :
                 {device.computeNs, device.communicationNs, device.exposedCommunicationNs,
                  device.exposedWaitNs, device.exposedCopyNs, device.idleNs, device.stepNs - device.idleNs}) {
                row.push_back(shareCell(device, part));
            }
            if (!each.lastArrivals) { // without last arrivals, waiting is unknown, too
                row[kWaiting] = notMeasured();
            }
        }
        row.push_back(each.lastArrivals ? document::Cell(*each.lastArrivals) : notMeasured());
        row.push_back(document::durationCell(each.device ? each.device->stepNs : 0));
        if (memory) {
            row.push_back(each.peakAllocatedBytes ? document::sizeCell(each.peakAllocatedBytes)
                                                  : notMeasured());
        }
    }
    return table;
}

} // namespace ringside::timeline
