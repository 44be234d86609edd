// SPDX-License-Identifier: Apache-2.0
#include "metrics/host_threads.h"
#include "timeline/rank_tracks.h"

#include <ringside/trace/ring.h>

#include <fmt/format.h>

#include <map>
#include <set>

namespace ringside::timeline {
namespace {

// Calls that nest deeper are counted but not shown.
constexpr std::size_t kDeepest = 24;
constexpr std::size_t kDeepestPython = 128; ///< a training script with a framework nests 30 to 60 functions

/// A row of the table that `kind` names. Its times stay in the table until it is placed.
struct Row {
    std::uint32_t row = 0;
    SpanKind kind = SpanKind::ApiCall;
};

/// Turns spans of one thread, sorted by start with outer spans first, into lanes: a span that begins inside
/// another one goes to the lane below.
class Nesting final {
public:
    explicit Nesting(Track& track) : m_track(track) {}

    void place(const Span& span)
    {
        while (!m_openEnds.empty() && m_openEnds.back() <= span.time.start) {
            m_openEnds.pop_back();
        }
        const std::size_t depth = m_openEnds.size();
        if (depth >= (m_track.kind == TrackKind::Python ? kDeepestPython : kDeepest)) {
            ++m_track.leftOut;
            return;
        }
        m_track.lanes.resize(std::max(m_track.lanes.size(), depth + 1));
        m_track.lanes[depth].add(span);
        m_openEnds.push_back(span.time.end);
    }

private:
    Track& m_track;
    std::vector<std::int64_t> m_openEnds; ///< ends of the spans that contain the next one, outermost first
};

class HostTracks final {
public:
    HostTracks(const model::Model& model, std::size_t rank, const Pause& pause)
        : m_number(rank)
        , m_rank(model.ranks[rank])
        , m_process(model.processOf(m_rank))
        , m_concern(model, m_rank)
        , m_pause(pause)
    {}

    std::vector<Track> build()
    {
        collectCalls();
        collectRanges();
        collectLaunches();
        collectPythonCalls();
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
        for (const std::int64_t thread : m_withRanges) { // its lanes are computed when somebody looks
            Track& track = tracks.emplace_back();
            track.kind = TrackKind::Projected;
            track.rank = m_number;
            track.id = thread;
            track.name = fmt::format("projected: {}", nameOf(thread));
        }
        for (auto& [key, rows] : m_rows) {
            Track& track = tracks.emplace_back();
            track.kind = key.first;
            track.rank = m_number;
            track.id = key.second;
            track.name = key.first == TrackKind::Launches ? fmt::format("launches of thread {}", key.second)
                         : key.first == TrackKind::Ranges ? fmt::format("ranges of {}", nameOf(key.second))
                         : key.first == TrackKind::Python ? fmt::format("Python of {}", nameOf(key.second))
                                                          : nameOf(key.second);
            nest(rows, track);
            rows = {};
        }
        return tracks;
    }

private:
    using Key = std::pair<TrackKind, std::int64_t>;

    void add(TrackKind track, std::int64_t thread, SpanKind kind, std::size_t row)
    {
        if (m_last == nullptr || m_lastKey != Key(track, thread)) {
            m_lastKey = {track, thread};
            m_last = &m_rows[m_lastKey];
        }
        m_last->push_back({static_cast<std::uint32_t>(row), kind});
    }

    /// Returns the time on the host's own clock.
    [[nodiscard]] Interval timeOf(const Row& row) const
    {
        const auto of = [&row](const auto& columns) {
            return Interval{columns.startNs[row.row], columns.endNs[row.row]};
        };
        const auto ofRow = [&row](const auto& rows) {
            return Interval{rows[row.row].startNs, rows[row.row].endNs};
        };
        switch (row.kind) {
        case SpanKind::NcclGroup:
            return ofRow(m_process.groups);
        case SpanKind::NcclCall:
            return ofRow(m_process.collectiveCalls);
        case SpanKind::Range:
            return ofRow(m_process.ranges);
        case SpanKind::Launch:
            return of(m_process.launches);
        case SpanKind::PythonCall:
            return of(m_process.pythonCalls);
        default:
            return of(m_process.apiCalls);
        }
    }

    void nest(std::vector<Row>& rows, Track& track) const
    {
        const auto before = [this](const Row& a, const Row& b) {
            const Interval first = timeOf(a);
            const Interval second = timeOf(b);
            return first.start != second.start ? first.start < second.start : first.end > second.end;
        };
        if (!std::is_sorted(rows.begin(), rows.end(), before)) {
            std::stable_sort(rows.begin(), rows.end(), before);
        }
        Nesting nesting(track);
        for (const Row& row : rows) {
            m_pause();
            const Interval local = timeOf(row);
            nesting.place(
                {{m_rank.clock.toRun(local.start), m_rank.clock.toRun(local.end)}, row.kind, row.row});
        }
    }

    void collectCalls()
    {
        for (std::size_t i = 0; i < m_process.groups.size(); ++i) {
            if (m_concern.concern(m_process.groups[i].thread)) {
                add(TrackKind::Thread, m_process.groups[i].thread, SpanKind::NcclGroup, i);
            }
        }
        for (std::size_t i = 0; i < m_process.collectiveCalls.size(); ++i) {
            const trace::CollectiveCallRow& call = m_process.collectiveCalls[i];
            if (m_concern.concern(call.thread, call.stream)) {
                add(TrackKind::Thread, call.thread, SpanKind::NcclCall, i);
            }
        }
        const trace::ApiCallColumns& calls = m_process.apiCalls;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            m_pause();
            if (m_concern.concern(calls.thread[i], calls.stream[i])) {
                add(TrackKind::Thread, calls.thread[i], SpanKind::ApiCall, i);
            }
        }
    }

    void collectPythonCalls()
    {
        const trace::PythonCallColumns& calls = m_process.pythonCalls;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            m_pause();
            if (m_concern.concern(calls.thread[i])) {
                add(TrackKind::Python, calls.thread[i], SpanKind::PythonCall, i);
            }
        }
    }

    void collectRanges()
    {
        for (std::size_t i = 0; i < m_process.ranges.size(); ++i) {
            const trace::RangeRow& range = m_process.ranges[i];
            const bool apart = range.flavour == static_cast<std::int64_t>(trace::RangeFlavour::StartEnd);
            if (m_concern.concern(range.thread)) {
                if (m_rank.deviceTier && range.endNs > range.startNs) {
                    m_withRanges.insert(range.thread);
                }
                add(apart ? TrackKind::Ranges : TrackKind::Thread, range.thread, SpanKind::Range, i);
            }
        }
    }

    void collectLaunches()
    {
        std::map<std::int64_t, std::int64_t> idOf; // by the kernel's thread id
        for (const trace::ThreadRow& row : m_process.threads) {
            idOf.emplace(row.tid, row.id);
        }
        const auto concerns = [&](std::uint32_t tid) {
            const auto id = idOf.find(tid);
            return id == idOf.end() || m_concern.concern(id->second);
        };
        const trace::LaunchColumns& launches = m_process.launches;
        std::optional<std::uint32_t> lastTid;
        bool shown = false;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            m_pause();
            const std::uint32_t tid = launches.tid[i];
            if (tid != lastTid) {
                lastTid = tid;
                shown = concerns(tid);
            }
            if (shown) {
                add(TrackKind::Launches, tid, SpanKind::Launch, i);
            }
        }
    }

    std::size_t m_number;
    const model::Rank& m_rank;
    const trace::ProcessTrace& m_process;
    metrics::HostThreads m_concern;
    const Pause& m_pause;
    std::map<Key, std::vector<Row>> m_rows;
    std::set<std::int64_t> m_withRanges; ///< threads with ranges that can be projected
    Key m_lastKey;
    std::vector<Row>* m_last = nullptr;
};

} // namespace

std::vector<Track> hostTracks(const model::Model& model, std::size_t rank, const Pause& pause)
{
    return HostTracks(model, rank, pause).build();
}

} // namespace ringside::timeline
