// SPDX-License-Identifier: Apache-2.0
#include "timeline/timeline.h"

#include "metrics/arrivals.h"
#include "timeline/coverage.h"
#include "timeline/rank_tracks.h"
#include "trace/read/parallel.h"

namespace ringside::timeline {
namespace {

void finish(std::vector<Track>& tracks)
{
    for (Track& track : tracks) {
        for (Lane& lane : track.lanes) {
            lane.finish();
        }
    }
}

/// Device and host tracks of a rank are two tasks, so that a single rank uses two cores.
std::vector<RankTracks> tracksOfRanks(const model::Model& model, const metrics::AllArrivals& arrivals,
                                      const std::function<bool()>& cancelled)
{
    std::vector<RankTracks> device(model.ranks.size());
    std::vector<std::vector<Track>> host(model.ranks.size());
    trace::parallelFor(2 * device.size(), trace::coreCount(), [&](std::size_t piece) {
        const std::size_t rank = piece / 2;
        const Pause pause(cancelled);
        if (cancelled && cancelled()) {
            throw Pause::Cancelled();
        }
        if (piece % 2 == 0) {
            device[rank] = deviceTracks(model, rank, arrivals, pause);
            finish(device[rank].tracks);
        } else {
            host[rank] = hostTracks(model, rank, pause);
            finish(host[rank]);
        }
    });
    for (std::size_t rank = 0; rank < device.size(); ++rank) {
        std::ranges::move(host[rank], std::back_inserter(device[rank].tracks));
    }
    return device;
}

struct PlacedPart {
    std::size_t operation;
    Part part;
};

std::vector<PlacedPart> joinTracks(std::vector<RankTracks>& ranks, Timeline& timeline)
{
    std::vector<PlacedPart> parts;
    for (RankTracks& rank : ranks) {
        for (const RankPart& each : rank.parts) {
            PlacedPart& placed = parts.emplace_back(PlacedPart{each.operation, each.part});
            placed.part.track += static_cast<std::uint32_t>(timeline.tracks.size());
        }
        std::ranges::move(rank.tracks, std::back_inserter(timeline.tracks));
        rank = {};
    }
    std::ranges::stable_sort(parts, {}, &PlacedPart::operation); // sorts by rank within an operation
    return parts;
}

void joinCollectives(const std::vector<PlacedPart>& parts, const metrics::AllArrivals& arrivals,
                     Timeline& timeline)
{
    timeline.parts.reserve(parts.size());
    for (const PlacedPart& each : parts) {
        const metrics::OperationArrivals& times = *arrivals[each.operation];
        if (timeline.collectives.empty() || timeline.collectives.back().operation != each.operation) {
            timeline.collectives.push_back({each.operation, times.lastRank, times.lateRank,
                                            times.firstArrivalNs, times.lastArrivalNs, times.endNs,
                                            times.lostNs, timeline.parts.size(), 0});
        }
        ++timeline.collectives.back().parts;
        timeline.parts.push_back(each.part);
    }
    timeline.collectives.shrink_to_fit();
    std::ranges::stable_sort(timeline.collectives, {}, &MatchedCollective::lastArrivalNs);
    timeline.losses =
        Forest(timeline.collectives.size(), [&](std::size_t i) { return timeline.collectives[i].lostNs; });
}

Interval extentOf(const std::vector<Track>& tracks)
{
    Interval extent{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (const Track& track : tracks) {
        for (const Lane& lane : track.lanes) {
            if (lane.size() > 0) {
                extent.start = std::min(extent.start, lane.extent().start);
                extent.end = std::max(extent.end, lane.extent().end);
            }
        }
    }
    return extent.start < extent.end ? extent : Interval{};
}

void addStrips(std::size_t ranks, const std::function<bool()>& cancelled, Timeline& timeline)
{
    timeline.strips.resize(ranks);
    trace::parallelFor(ranks, trace::coreCount(), [&](std::size_t rank) {
        if (cancelled && cancelled()) {
            throw Pause::Cancelled();
        }
        timeline.strips[rank] = Strip(timeline.tracksOf(rank), timeline.extent);
    });
}

} // namespace

std::span<const Part> Timeline::partsOf(const MatchedCollective& collective, std::size_t rank) const
{
    const std::span all(parts.data() + collective.firstPart, collective.parts);
    const auto found =
        std::ranges::equal_range(all, rank, {}, [](const Part& part) { return std::size_t{part.rank}; });
    return {found.begin(), found.end()};
}

std::size_t Timeline::spans() const
{
    std::size_t sum = 0;
    for (const Track& track : tracks) {
        sum += track.spans();
    }
    return sum;
}

const std::vector<Lane>& Timeline::lanesOf(std::size_t track) const
{
    const Track& each = tracks[track];
    const Projection* const projection =
        each.kind == TrackKind::Projected ? projections->of(each.rank, track) : nullptr;
    return projection != nullptr ? projection->lanes : each.lanes;
}

std::int64_t Timeline::leftOutOf(std::size_t track) const
{
    const Track& each = tracks[track];
    const Projection* const projection =
        each.kind == TrackKind::Projected ? projections->of(each.rank, track) : nullptr;
    return projection != nullptr ? projection->leftOut : each.leftOut;
}

std::size_t Timeline::memoryBytes() const
{
    std::size_t sum = collectives.capacity() * sizeof(MatchedCollective) + parts.capacity() * sizeof(Part) +
                      (projections ? projections->memoryBytes() : 0);
    for (const Track& track : tracks) {
        for (const Lane& lane : track.lanes) {
            sum += lane.memoryBytes();
        }
    }
    for (const Strip& strip : strips) {
        sum += strip.memoryBytes();
    }
    return sum + losses.memoryBytes();
}

std::vector<std::size_t> Timeline::collectivesIn(const Interval& range, std::int64_t resolutionNs) const
{
    const std::int64_t resolution = std::max<std::int64_t>(1, resolutionNs);
    const auto from = [&](std::int64_t time) {
        const auto found = std::ranges::lower_bound(collectives, time, {}, &MatchedCollective::lastArrivalNs);
        return static_cast<std::size_t>(found - collectives.begin());
    };
    std::vector<std::size_t> result;
    std::size_t next = 0;
    for (std::size_t i = from(range.start);
         i < collectives.size() && collectives[i].lastArrivalNs < range.end; i = next) {
        const std::int64_t time = collectives[i].lastArrivalNs;
        const std::int64_t rest = time % resolution;
        next = std::max(i + 1, from(model::addCapped(time, rest < 0 ? -rest : resolution - rest)));
        result.push_back(losses.largest(i, next, [this](std::size_t m) { return collectives[m].lostNs; }));
    }
    return result;
}

std::optional<std::size_t> Timeline::nextCollective(std::int64_t timeNs) const
{
    const auto found = std::ranges::upper_bound(collectives, timeNs, {}, &MatchedCollective::lastArrivalNs);
    return found == collectives.end() ? std::nullopt
                                      : std::optional(static_cast<std::size_t>(found - collectives.begin()));
}

std::optional<std::size_t> Timeline::previousCollective(std::int64_t timeNs) const
{
    const auto found = std::ranges::lower_bound(collectives, timeNs, {}, &MatchedCollective::lastArrivalNs);
    return found == collectives.begin()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - collectives.begin()) - 1);
}

std::vector<ByKind<float>> rankCoverage(const Timeline& timeline, std::size_t rank, const Interval& range,
                                        std::size_t columns)
{
    if (rank < timeline.strips.size() && !timeline.strips[rank].empty()) {
        return timeline.strips[rank].coverage(range, columns);
    }
    for (const Track& track : timeline.tracksOf(rank)) {
        const bool tells = track.kind == TrackKind::EventTimed || track.kind == TrackKind::Steps ||
                           track.kind == TrackKind::Thread;
        if (tells && !track.lanes.empty()) {
            const Lane& lane = track.lanes.front();
            const auto resolution =
                range.length() / static_cast<std::int64_t>(std::max<std::size_t>(1, columns));
            return coverageOf(lane, lane.bars(range, resolution), range, columns);
        }
    }
    return std::vector<ByKind<float>>(columns);
}

Timeline buildTimeline(const model::Model& model, const std::function<bool()>& cancelled)
{
    const metrics::AllArrivals arrivals = metrics::findArrivals(model);
    Timeline timeline;
    timeline.projections = std::make_shared<Projections>(model.ranks.size());
    try {
        std::vector<RankTracks> ranks = tracksOfRanks(model, arrivals, cancelled);
        joinCollectives(joinTracks(ranks, timeline), arrivals, timeline);
        timeline.extent = extentOf(timeline.tracks);
        addStrips(model.ranks.size(), cancelled, timeline);
    } catch (const Pause::Cancelled&) {
        return {};
    }
    timeline.samples = sampleLines(model);
    return timeline;
}

} // namespace ringside::timeline
