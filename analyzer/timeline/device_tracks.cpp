// SPDX-License-Identifier: Apache-2.0
#include "export/stream_work.h"
#include "timeline/rank_tracks.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

namespace ringside::timeline {
namespace {

constexpr std::size_t kMostLanes = 8; ///< of a stream; more lanes mean damage

class StreamTracks final {
public:
    StreamTracks(const model::Model& model, std::size_t rank, const metrics::AllArrivals& arrivals,
                 RankTracks& result)
        : m_model(model)
        , m_rank(model.ranks[rank])
        , m_number(rank)
        , m_process(model.processOf(m_rank))
        , m_arrivals(arrivals)
        , m_operations(model::operationsOfKernels(model, rank))
        , m_lastArrivals(metrics::lastArrivalsOf(model, rank, arrivals, m_operations))
        , m_result(result)
    {}

    void add(const Pause& pause)
    {
        exporting::forEachDeviceWork(m_model, m_rank, [&](const exporting::ShownWork& work) {
            pause();
            place(work);
        });
    }

private:
    void place(const exporting::ShownWork& work)
    {
        const std::size_t at = trackOf(work);
        Track& track = m_result.tracks[at];
        if (work.lane >= kMostLanes) {
            ++track.leftOut;
            return;
        }
        track.lanes.resize(std::max(track.lanes.size(), work.lane + 1));
        const Interval time{m_rank.clock.toRun(work.time.start), m_rank.clock.toRun(work.time.end)};
        const auto row = static_cast<std::uint32_t>(work.row);
        Lane& lane = track.lanes[work.lane];
        if (work.copy) {
            lane.add({time, SpanKind::Copy, row});
        } else if (m_model.classes[m_rank.process].of(m_process.kernels.name[work.row]) ==
                   model::KernelClass::Compute) {
            lane.add({time, SpanKind::Compute, row});
        } else {
            communication(lane, time, row, {m_number, at, work.lane, time});
        }
    }

    /// Splits the kernel at the last arrival into a span of waiting and a span of transfer.
    void communication(Lane& lane, const Interval& time, std::uint32_t row, const Part& part)
    {
        const auto arrival = m_lastArrivals.find(row);
        if (arrival == m_lastArrivals.end()) {
            lane.add({time, SpanKind::Communication, row});
            return;
        }
        const std::int64_t last = std::clamp(m_rank.clock.toRun(arrival->second), time.start, time.end);
        if (last > time.start) {
            lane.add({{time.start, last}, SpanKind::Wait, row});
        }
        if (last < time.end || last == time.start) {
            lane.add({{last, time.end}, SpanKind::Transfer, row});
        }
        const auto operation = m_operations.find(row);
        if (operation != m_operations.end() && m_arrivals[operation->second]) {
            m_result.parts.push_back({operation->second, part});
        }
    }

    std::size_t trackOf(const exporting::ShownWork& work)
    {
        const std::uint64_t key = std::uint64_t{work.device} << 32U | work.stream;
        if (key == m_lastKey && m_lastTrack) {
            return *m_lastTrack;
        }
        m_lastKey = key;
        m_lastTrack = m_result.tracks.size(); // work is sorted by stream
        Track& track = m_result.tracks.emplace_back();
        track.kind = TrackKind::Stream;
        track.rank = m_number;
        track.id = work.stream;
        track.name = fmt::format("GPU {} stream {}", work.device, work.stream);
        return *m_lastTrack;
    }

    const model::Model& m_model;
    const model::Rank& m_rank;
    std::size_t m_number;
    const trace::ProcessTrace& m_process;
    const metrics::AllArrivals& m_arrivals;
    std::unordered_map<std::uint32_t, std::size_t> m_operations; ///< by row of the kernels
    metrics::LastArrivals m_lastArrivals;
    RankTracks& m_result;
    std::uint64_t m_lastKey = 0;
    std::optional<std::size_t> m_lastTrack;
};

Track stepsTrack(const model::Rank& rank, std::size_t number)
{
    const bool onDevice =
        std::ranges::any_of(rank.steps, [](const model::Step& step) { return step.device.has_value(); });
    Track track;
    track.kind = TrackKind::Steps;
    track.rank = number;
    track.name = onDevice ? "steps on the GPU" : "steps on the host";
    track.lanes.resize(1);
    for (std::size_t i = 0; i < rank.steps.size(); ++i) {
        const model::Step& step = rank.steps[i];
        if (onDevice && !step.device) {
            continue;
        }
        const Interval local = onDevice ? *step.device : step.host;
        track.lanes[0].add({{rank.clock.toRun(local.start), rank.clock.toRun(local.end)},
                            SpanKind::Step,
                            static_cast<std::uint32_t>(i)});
    }
    return track;
}

/// Returns a lane that is free at this time: simultaneous work goes to further lanes.
std::size_t freeLane(const Track& track, std::int64_t startNs)
{
    std::size_t lane = 0;
    while (lane < track.lanes.size() && track.lanes[lane].size() > 0 &&
           startNs < track.lanes[lane].extent().end) {
        ++lane;
    }
    return lane;
}

void addEventTimed(const model::Model& model, std::size_t number, const metrics::AllArrivals& arrivals,
                   RankTracks& result)
{
    const model::Rank& rank = model.ranks[number];
    Track track;
    track.kind = TrackKind::EventTimed;
    track.rank = number;
    track.name = "NCCL by CUDA events";
    for (std::size_t i = 0; i < model.operations.size(); ++i) {
        const model::Participant* const part = model.operations[i].participant(number);
        if (part == nullptr || !part->device) {
            continue;
        }
        const Interval time{rank.clock.toRun(part->device->start), rank.clock.toRun(part->device->end)};
        const std::size_t at = freeLane(track, time.start);
        if (at >= kMostLanes) {
            ++track.leftOut;
            continue;
        }
        track.lanes.resize(std::max(track.lanes.size(), at + 1));
        const auto row = static_cast<std::uint32_t>(i);
        if (!arrivals[i]) {
            track.lanes[at].add({time, SpanKind::Communication, row});
            continue;
        }
        const std::int64_t last = std::clamp(arrivals[i]->lastArrivalNs, time.start, time.end);
        track.lanes[at].add({{time.start, last}, SpanKind::Wait, row});
        track.lanes[at].add({{last, time.end}, SpanKind::Transfer, row});
        result.parts.push_back({i, {number, result.tracks.size(), at, time}});
    }
    result.tracks.push_back(std::move(track));
}

} // namespace

RankTracks deviceTracks(const model::Model& model, std::size_t rank, const metrics::AllArrivals& arrivals,
                        const Pause& pause)
{
    RankTracks result;
    if (!model.ranks[rank].steps.empty()) {
        result.tracks.push_back(stepsTrack(model.ranks[rank], rank));
    }
    if (model.ranks[rank].deviceTier) {
        StreamTracks(model, rank, arrivals, result).add(pause);
    } else if (model.ranks[rank].eventTimes) {
        addEventTimed(model, rank, arrivals, result);
    }
    return result;
}

} // namespace ringside::timeline
