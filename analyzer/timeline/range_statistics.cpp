// SPDX-License-Identifier: Apache-2.0
#include "timeline/range_statistics.h"

#include "metrics/break_down.h"
#include "trace/read/parallel.h"
#include "values/text.h"

#include <fmt/format.h>

#include <array>
#include <deque>

namespace ringside::timeline {
namespace {

/// The spans of a rank's streams within a range, by class, in run time.
class WorkInRange final {
public:
    void add(const Lane& lane, const Interval& range)
    {
        std::array<Times*, metrics::kClasses> times{};
        const auto put = [&](metrics::Class to, const Interval& time) {
            if (times[to] == nullptr) {
                times[to] = &m_times.emplace_back();
                times[to]->of = to;
            }
            times[to]->starts.push_back(time.start);
            times[to]->ends.push_back(time.end);
        };
        for (std::size_t i = lane.firstEndingAfter(range.start); i < lane.size(); ++i) {
            const Span span = lane.span(i);
            if (span.time.start >= range.end) {
                break;
            }
            switch (span.kind) {
            case SpanKind::Compute:
                put(metrics::kCompute, span.time);
                break;
            case SpanKind::Copy:
                put(metrics::kCopy, span.time);
                break;
            case SpanKind::Wait:
                put(metrics::kCommunication, span.time);
                break;
            default: // the last arrival is unknown: all of it counts as transfer, as in a step
                put(metrics::kCommunication, span.time);
                put(metrics::kTransfer, span.time);
            }
        }
    }

    [[nodiscard]] metrics::Coverage sweep(const Interval& range) const
    {
        metrics::Lanes lanes;
        for (const Times& times : m_times) {
            lanes[times.of].push_back({&times.starts, &times.ends, nullptr, {}, times.starts.size()});
        }
        return metrics::sweep(lanes, std::array{range}).front();
    }

private:
    struct Times {
        metrics::Class of = metrics::kCompute;
        trace::Column<std::int64_t> starts, ends;
    };
    std::deque<Times> m_times; ///< a deque keeps their addresses
};

constexpr std::size_t kWaiting = 4; ///< column

report::Cell notMeasured()
{
    return report::Cell::absent("not measured");
}

report::Cell shareCell(const metrics::Breakdown& all, std::int64_t part)
{
    return report::durationCell(part).with(fmt::format(" ({})", values::percent(all.share(part))));
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
        WorkInRange work;
        for (const Track& track : timeline.tracksOf(rank)) {
            for (const Lane& lane : track.lanes) {
                if (track.kind == TrackKind::Stream) {
                    work.add(lane, range);
                }
            }
        }
        ranks[rank].device = metrics::breakDown(range, work.sweep(range));
    });
    const auto begin =
        std::ranges::lower_bound(timeline.collectives, range.start, {}, &MatchedCollective::lastArrivalNs);
    for (auto it = begin; it != timeline.collectives.end() && it->lastArrivalNs < range.end; ++it) {
        ++*ranks[it->lastRank].lastArrivals;
    }
    return ranks;
}

report::Table tableOf(const model::Model& model, const std::vector<RankInRange>& ranks)
{
    report::Table table;
    table.header = {"rank",         "compute", "communication", "exposed communication", "of it waiting",
                    "exposed copy", "idle",    "GPU busy",      "last arrivals"};
    for (const RankInRange& each : ranks) {
        auto& row = table.rows.emplace_back();
        row.emplace_back(model.ranks[each.rank].rank);
        if (!each.device) {
            row.resize(table.header.size() - 1, notMeasured());
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
        row.push_back(each.lastArrivals ? report::Cell(*each.lastArrivals) : notMeasured());
    }
    return table;
}

} // namespace ringside::timeline
