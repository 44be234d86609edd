// SPDX-License-Identifier: Apache-2.0
#include "metrics/host_threads.h"
#include "timeline/tracks.h"

#include <ringside/trace/ring.h>

#include <fmt/format.h>

#include <map>

namespace ringside::timeline {
namespace {

constexpr std::size_t kDeepest = 24; ///< calls that nest deeper are counted, not shown

/// Spans of one thread in any order become lanes: what begins inside another one lies below it.
class Nesting final {
public:
    explicit Nesting(Track& track) : m_track(track) {}

    void add(std::vector<Span> spans)
    {
        const auto before = [](const Span& a, const Span& b) {
            return a.time.start != b.time.start ? a.time.start < b.time.start : a.time.end > b.time.end;
        };
        if (!std::is_sorted(spans.begin(), spans.end(), before)) {
            std::stable_sort(spans.begin(), spans.end(), before);
        }
        for (const Span& span : spans) {
            place(span);
        }
    }

private:
    void place(const Span& span)
    {
        while (!m_openEnds.empty() && m_openEnds.back() <= span.time.start) {
            m_openEnds.pop_back();
        }
        const std::size_t depth = m_openEnds.size();
        if (depth >= kDeepest) {
            ++m_track.leftOut;
            return;
        }
        m_track.lanes.resize(std::max(m_track.lanes.size(), depth + 1));
        m_track.lanes[depth].add(span);
        m_openEnds.push_back(span.time.end);
    }

    Track& m_track;
    std::vector<std::int64_t> m_openEnds; ///< of the spans that hold the next one, outermost first
};

class HostTracks final {
public:
    HostTracks(const model::Model& model, std::size_t rank)
        : m_number(rank)
        , m_rank(model.ranks[rank])
        , m_process(model.processOf(m_rank))
        , m_concern(model, m_rank)
    {}

    std::vector<Track> build()
    {
        collectCalls();
        collectRanges();
        collectLaunches();
        std::map<std::int64_t, std::string> names;
        for (const trace::ThreadRow& row : m_process.threads) {
            names.emplace(row.id, row.name.empty() ? fmt::format("thread {}", row.tid)
                                                   : fmt::format("{} ({})", row.name, row.tid));
        }
        const auto nameOf = [&](std::int64_t id) {
            const auto found = names.find(id);
            return found != names.end() ? found->second : fmt::format("thread {}", id);
        };
        std::vector<Track> tracks;
        for (auto& [key, spans] : m_spans) {
            Track& track = tracks.emplace_back();
            track.kind = key.first;
            track.rank = m_number;
            track.id = key.second;
            track.name = key.first == TrackKind::Launches ? fmt::format("launches of thread {}", key.second)
                         : key.first == TrackKind::Ranges ? fmt::format("ranges of {}", nameOf(key.second))
                                                          : nameOf(key.second);
            Nesting(track).add(std::move(spans));
        }
        return tracks;
    }

private:
    using Key = std::pair<TrackKind, std::int64_t>;

    void add(TrackKind track, std::int64_t thread, const Interval& local, SpanKind kind, std::size_t row)
    {
        if (m_last == nullptr || m_lastKey != Key(track, thread)) {
            m_lastKey = {track, thread};
            m_last = &m_spans[m_lastKey];
        }
        m_last->push_back({{m_rank.clock.toRun(local.start), m_rank.clock.toRun(local.end)},
                           kind,
                           static_cast<std::uint32_t>(row)});
    }

    void collectCalls()
    {
        for (std::size_t i = 0; i < m_process.groups.size(); ++i) {
            const trace::GroupRow& group = m_process.groups[i];
            if (m_concern.concern(group.thread)) {
                add(TrackKind::Thread, group.thread, {group.startNs, group.endNs}, SpanKind::NcclGroup, i);
            }
        }
        for (std::size_t i = 0; i < m_process.collectiveCalls.size(); ++i) {
            const trace::CollectiveCallRow& call = m_process.collectiveCalls[i];
            if (m_concern.concern(call.thread, call.stream)) {
                add(TrackKind::Thread, call.thread, {call.startNs, call.endNs}, SpanKind::NcclCall, i);
            }
        }
        const trace::ApiCallColumns& calls = m_process.apiCalls;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if (m_concern.concern(calls.thread[i], calls.stream[i])) {
                add(TrackKind::Thread, calls.thread[i], {calls.startNs[i], calls.endNs[i]}, SpanKind::ApiCall,
                    i);
            }
        }
    }

    void collectRanges()
    {
        for (std::size_t i = 0; i < m_process.ranges.size(); ++i) {
            const trace::RangeRow& range = m_process.ranges[i];
            const bool apart = range.flavour == static_cast<std::int64_t>(trace::RangeFlavour::StartEnd);
            if (m_concern.concern(range.thread)) {
                add(apart ? TrackKind::Ranges : TrackKind::Thread, range.thread, {range.startNs, range.endNs},
                    SpanKind::Range, i);
            }
        }
    }

    void collectLaunches()
    {
        std::map<std::int64_t, std::int64_t> idOf; // by the kernel's thread id
        for (const trace::ThreadRow& row : m_process.threads) {
            idOf.emplace(row.tid, row.id);
        }
        const trace::LaunchColumns& launches = m_process.launches;
        std::map<std::uint32_t, bool> shown;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            const std::uint32_t tid = launches.tid[i];
            const auto [entry, fresh] = shown.try_emplace(tid, true);
            if (fresh) {
                const auto id = idOf.find(tid);
                entry->second = id == idOf.end() || m_concern.concern(id->second);
            }
            if (entry->second) {
                add(TrackKind::Launches, tid, {launches.startNs[i], launches.endNs[i]}, SpanKind::Launch, i);
            }
        }
    }

    std::size_t m_number;
    const model::Rank& m_rank;
    const trace::ProcessTrace& m_process;
    metrics::HostThreads m_concern;
    std::map<Key, std::vector<Span>> m_spans;
    Key m_lastKey;
    std::vector<Span>* m_last = nullptr;
};

} // namespace

std::vector<Track> hostTracks(const model::Model& model, std::size_t rank)
{
    return HostTracks(model, rank).build();
}

} // namespace ringside::timeline
