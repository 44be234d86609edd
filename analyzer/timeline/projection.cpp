// SPDX-License-Identifier: Apache-2.0
#include "timeline/projection.h"

#include "timeline/rank_tracks.h"
#include "trace/read/parallel.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace ringside::timeline {
namespace {

constexpr std::size_t kMostProjectedLanes = 24;
constexpr std::size_t kNotPlaced = kMostProjectedLanes; ///< as the number of a lane

constexpr Interval kNoWork{0, -1}; ///< nothing ends before it begins

/// A lane of a host thread, and the device work that was launched in each of its spans.
struct HostLane {
    const Lane* spans = nullptr;
    std::vector<Interval> work;         ///< by span; kNoWork: none
    std::vector<std::uint8_t> placedIn; ///< by span: the lane that it was placed in
    std::size_t near = 0;               ///< the span of the latest launch; the next one's is often near

    explicit HostLane(const Lane& lane)
        : spans(&lane), work(lane.size(), kNoWork), placedIn(lane.size(), kNotPlaced)
    {}

    [[nodiscard]] bool isRangeAt(std::size_t index, std::int64_t timeNs) const
    {
        return index < spans->size() && spans->span(index).time.start <= timeNs &&
               spans->span(index).kind == SpanKind::Range;
    }

    void add(std::int64_t launchNs, const Interval& device)
    {
        constexpr std::size_t kSteps = 4;
        const auto endsAfter = [&](std::size_t i) { return spans->span(i).time.end > launchNs; };
        std::size_t at = near;
        const std::size_t last = std::min(spans->size(), near + kSteps);
        while (at < last && !endsAfter(at)) {
            ++at;
        }
        if (at >= last || (at > 0 && endsAfter(at - 1))) {
            at = spans->firstEndingAfter(launchNs);
        }
        near = std::min(at, spans->size() - 1);
        if (isRangeAt(at, launchNs)) {
            Interval& all = work[at];
            all = all == kNoWork ? device
                                 : Interval{std::min(all.start, device.start), std::max(all.end, device.end)};
        }
    }
};

/// The lanes of one host thread that hold ranges.
struct HostThread {
    std::size_t track = 0; ///< the projected one
    std::vector<HostLane> lanes;
};

class RankProjector final {
public:
    RankProjector(const model::Model& model, std::span<const Track> tracks, std::size_t rank,
                  const Pause& pause)
        : m_model(model), m_rank(model.ranks[rank]), m_process(model.processOf(m_rank)), m_pause(pause)
    {
        for (const Track& track : tracksOf(tracks, rank)) {
            if (track.kind == TrackKind::Projected) {
                m_threads[track.id].track = static_cast<std::size_t>(&track - tracks.data());
            }
        }
        for (const Track& track : tracksOf(tracks, rank)) {
            const auto thread = m_threads.find(track.id);
            if (thread != m_threads.end() &&
                (track.kind == TrackKind::Thread || track.kind == TrackKind::Ranges)) {
                addLanes(track, thread->second);
            }
        }
        for (const trace::ThreadRow& row : m_process.threads) {
            if (const auto thread = m_threads.find(row.id); thread != m_threads.end()) {
                m_byTid.emplace(static_cast<std::uint32_t>(row.tid), &thread->second);
            }
        }
    }

    std::vector<Projection> project()
    {
        addWork(m_process.kernels);
        addWork(m_process.copies);
        std::vector<Projection> result;
        for (auto& [id, thread] : m_threads) {
            result.push_back(place(thread));
        }
        std::ranges::sort(result, {}, &Projection::track);
        return result;
    }

private:
    static void addLanes(const Track& track, HostThread& thread)
    {
        for (const Lane& lane : track.lanes) {
            if (lane.timeOf(0, lane.size())[static_cast<std::size_t>(SpanKind::Range)] > 0) {
                thread.lanes.emplace_back(lane);
            }
        }
    }

    /// Kernels or copies.
    template <class Columns>
    void addWork(const Columns& columns)
    {
        const model::LaunchIndex& launches = m_model.launches[m_rank.process];
        for (std::size_t i = 0; i < columns.size(); ++i) {
            m_pause();
            const auto row = launches.find(columns.correlation[i]);
            if (!row || !m_rank.owns(columns.device[i])) {
                continue;
            }
            const auto thread = m_byTid.find(m_process.launches.tid[*row]);
            if (thread == m_byTid.end()) {
                continue;
            }
            const std::int64_t launchNs = m_rank.clock.toRun(m_process.launches.startNs[*row]);
            const Interval device{m_rank.clock.toRun(columns.startNs[i]),
                                  m_rank.clock.toRun(columns.endNs[i])};
            for (HostLane& lane : thread->second->lanes) {
                lane.add(launchNs, device);
            }
        }
    }

    struct Projected {
        Interval time;
        std::size_t lane = 0; ///< of the host
        std::size_t index = 0;
    };

    /// Ranges that follow each other on the host may overlap on the GPU, on which their work runs in several
    /// streams: then the later one goes to a further lane.
    Projection place(HostThread& thread) const
    {
        std::vector<Projected> all;
        for (std::size_t lane = 0; lane < thread.lanes.size(); ++lane) {
            for (std::size_t i = 0; i < thread.lanes[lane].work.size(); ++i) {
                if (thread.lanes[lane].work[i] != kNoWork) {
                    all.push_back({thread.lanes[lane].work[i], lane, i});
                }
            }
        }
        std::ranges::sort(all, {}, [](const Projected& each) {
            return std::tuple(each.time.start, each.lane, each.index); // outer ranges first
        });
        Projection result{thread.track, {}, 0};
        for (const Projected& each : all) {
            m_pause();
            std::size_t lane = laneBelowParent(thread, each);
            while (lane < result.lanes.size() && result.lanes[lane].extent().end > each.time.start) {
                ++lane;
            }
            if (lane >= kMostProjectedLanes) {
                ++result.leftOut;
                continue;
            }
            result.lanes.resize(std::max(result.lanes.size(), lane + 1));
            HostLane& host = thread.lanes[each.lane];
            host.placedIn[each.index] = static_cast<std::uint8_t>(lane);
            result.lanes[lane].add({each.time, SpanKind::Range, host.spans->span(each.index).row});
        }
        for (Lane& lane : result.lanes) {
            lane.finish();
        }
        return result;
    }

    /// Returns the first lane that a range may be placed in: the one below the range that contains it.
    static std::size_t laneBelowParent(const HostThread& thread, const Projected& each)
    {
        const std::int64_t startNs = thread.lanes[each.lane].spans->span(each.index).time.start;
        for (std::size_t lane = each.lane; lane-- > 0;) {
            const HostLane& host = thread.lanes[lane];
            const std::size_t outer = host.spans->firstEndingAfter(startNs);
            if (host.isRangeAt(outer, startNs) && host.placedIn[outer] != kNotPlaced) {
                return host.placedIn[outer] + std::size_t{1};
            }
        }
        return 0;
    }

    const model::Model& m_model;
    const model::Rank& m_rank;
    const trace::ProcessTrace& m_process;
    const Pause& m_pause;
    std::map<std::int64_t, HostThread> m_threads;           ///< by thread.id
    std::unordered_map<std::uint32_t, HostThread*> m_byTid; ///< by the kernel's thread id
};

} // namespace

void Projections::compute(const model::Model& model, std::span<const Track> tracks, std::size_t rank,
                          const std::function<bool()>& cancelled)
{
    RankProjections& own = m_ranks[rank];
    const std::scoped_lock lock(own.mutex);
    if (own.ready) {
        return;
    }
    try {
        const Pause pause(cancelled);
        own.threads = RankProjector(model, tracks, rank, pause).project();
        own.ready = true;
    } catch (const Pause::Cancelled&) {
        return; // whoever looks next begins again
    }
}

void Projections::compute(const model::Model& model, std::span<const Track> tracks,
                          const std::vector<std::size_t>& ranks, const std::function<bool()>& cancelled)
{
    trace::parallelFor(ranks.size(), trace::coreCount(),
                       [&](std::size_t i) { compute(model, tracks, ranks[i], cancelled); });
}

const Projection* Projections::of(std::size_t rank, std::size_t track) const
{
    if (!ready(rank)) {
        return nullptr;
    }
    const std::vector<Projection>& threads = m_ranks[rank].threads;
    const auto found = std::ranges::lower_bound(threads, track, {}, &Projection::track);
    return found != threads.end() && found->track == track ? &*found : nullptr;
}

std::size_t Projections::memoryBytes() const
{
    std::size_t sum = 0;
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        for (std::size_t i = 0; ready(rank) && i < m_ranks[rank].threads.size(); ++i) {
            for (const Lane& lane : m_ranks[rank].threads[i].lanes) {
                sum += lane.memoryBytes();
            }
        }
    }
    return sum;
}

} // namespace ringside::timeline
