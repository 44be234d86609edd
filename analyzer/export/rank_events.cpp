// SPDX-License-Identifier: Apache-2.0
#include "export/rank_events.h"

#include "export/launch_arguments.h"
#include "export/stream_work.h"

#include <ringside/trace/ring.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace ringside::exporting {
namespace {

// Tracks that are not threads get numbers above Linux' largest thread id (2^22).
constexpr std::int64_t kHostSteps = 5'000'000;
constexpr std::int64_t kDeviceSteps = 5'000'001;
constexpr std::int64_t kFirstStream = 6'000'000;
constexpr std::int64_t kFirstTimedStream = 7'000'000; ///< plus the stream's id
constexpr std::int64_t kFirstLauncher = 10'000'000;   ///< plus the launching thread's id

constexpr std::int64_t kThreadOrder = 100;
constexpr std::int64_t kLauncherOrder = 200;
constexpr std::int64_t kStreamOrder = 300;
constexpr std::int64_t kTimedStreamOrder = 400;

class RankEvents final {
public:
    RankEvents(const model::Model& model, const model::Rank& rank, EventStream& events,
               const std::optional<model::Interval>& time)
        : m_model(model), m_rank(rank), m_process(model.processOf(rank)), m_events(events), m_time(time)
    {}

    void write()
    {
        const model::Host& host = m_model.hosts[m_rank.host];
        m_events.processName(fmt::format("rank {} ({}{})", m_rank.rank, host.name,
                                         m_process.process.emulated ? ", emulated" : ""));
        steps();
        collectives();
        apiCalls();
        ranges();
        pythonCalls();
        launches();
        deviceWork();
        eventTimes();
        samples();
        tracks();
    }

private:
    struct Track {
        std::string name;
        std::int64_t order = 0;
    };

    const std::string& name(trace::StringId id)
    {
        auto [entry, fresh] = m_names.try_emplace(id);
        if (fresh) {
            entry->second = jsonText(m_process.text(id));
        }
        return entry->second;
    }

    /// Returns the kernel's id of a thread, or the trace's own id if that is unknown.
    std::int64_t threadOf(std::int64_t id)
    {
        if (m_threads.empty()) {
            for (const trace::ThreadRow& row : m_process.threads) {
                m_threads.emplace(row.id, row);
            }
        }
        const auto found = m_threads.find(id);
        const std::int64_t tid = found != m_threads.end() ? found->second.tid : id;
        track(tid, kThreadOrder, [&] {
            const bool named = found != m_threads.end() && !found->second.name.empty();
            return named ? found->second.name : fmt::format("thread {}", tid);
        });
        return tid;
    }

    std::int64_t trackOf(const ShownWork& work)
    {
        const auto next = kFirstStream + static_cast<std::int64_t>(m_streams.size());
        const auto [entry, fresh] = m_streams.try_emplace({work.device, work.stream, work.lane}, next);
        if (fresh) {
            track(next, kStreamOrder, [&] {
                return fmt::format("GPU {} stream {}{}", work.device, work.stream,
                                   work.lane > 0 ? ", overlapping" : "");
            });
        }
        return entry->second;
    }

    template <class MakeName>
    void track(std::int64_t tid, std::int64_t order, const MakeName& makeName)
    {
        if (!m_tracks.contains(tid)) {
            m_tracks.emplace(tid, Track{makeName(), order});
        }
    }

    /// Whether something is in the chosen time, by times of the rank's own clock.
    [[nodiscard]] bool isWanted(const model::Interval& local) const
    {
        return !m_time || (m_rank.clock.toRun(local.start) <= m_time->end &&
                           m_rank.clock.toRun(local.end) >= m_time->start);
    }

    void steps()
    {
        for (const model::Step& step : m_rank.steps) {
            const std::string title = fmt::format("\"step {}\"", step.number);
            if (isWanted(step.host)) {
                m_events.slice(kHostSteps, "step", title, step.host);
            }
            if (step.device && isWanted(*step.device)) {
                m_events.slice(kDeviceSteps, "step", title, *step.device);
            }
        }
        m_tracks.emplace(kHostSteps, Track{"steps on the host", 0});
        m_tracks.emplace(kDeviceSteps, Track{"steps on the GPU", 1});
    }

    void collectives()
    {
        std::map<std::int64_t, const trace::CommunicatorRow*> communicators;
        for (const trace::CommunicatorRow& row : m_process.communicators) {
            communicators.emplace(row.id, &row);
        }
        for (const trace::GroupRow& group : m_process.groups) {
            if (!isWanted({group.startNs, group.endNs})) {
                continue;
            }
            m_events.slice(threadOf(group.thread), "nccl", "\"NCCL group\"", {group.startNs, group.endNs},
                           fmt::format("{{\"calls\":{}}}", group.calls));
        }
        for (const trace::CollectiveCallRow& call : m_process.collectiveCalls) {
            if (!isWanted({call.startNs, call.endNs})) {
                continue;
            }
            const auto found = communicators.find(call.communicator);
            const std::uint64_t hash = found != communicators.end() ? found->second->hash : 0;
            const std::string args = fmt::format(
                R"({{"communicator":"{:016x}","sequence":{},"bytes":{},"count":{},"datatype":{},"in_graph":{}}})",
                hash, call.sequence, call.bytes ? fmt::to_string(*call.bytes) : "null",
                call.count ? fmt::to_string(*call.count) : "null",
                call.datatype ? fmt::to_string(*call.datatype) : "null", call.graph.has_value());
            m_events.slice(threadOf(call.thread), "nccl", name(call.api), {call.startNs, call.endNs}, args);
        }
    }

    void apiCalls()
    {
        const trace::ApiCallColumns& calls = m_process.apiCalls;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const model::Interval time{calls.startNs[i], calls.endNs[i]};
            if (isWanted(time)) {
                m_events.slice(threadOf(calls.thread[i]), "cuda_api", name(calls.api[i]), time);
            }
        }
    }

    void ranges()
    {
        for (const trace::RangeRow& range : m_process.ranges) {
            if (!isWanted({range.startNs, range.endNs})) {
                continue;
            }
            const std::int64_t tid = threadOf(range.thread);
            switch (static_cast<trace::RangeFlavour>(range.flavour)) {
            case trace::RangeFlavour::PushPop:
                m_events.slice(tid, "range", name(range.name), {range.startNs, range.endNs});
                break;
            case trace::RangeFlavour::Mark:
                m_events.instant(tid, "mark", name(range.name), range.startNs);
                break;
            case trace::RangeFlavour::StartEnd:
            default:
                m_events.async(tid, "range", name(range.name), {range.startNs, range.endNs});
            }
        }
    }

    void pythonCalls()
    {
        const trace::PythonCallColumns& calls = m_process.pythonCalls;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            m_events.slice(threadOf(calls.thread[i]), "python_function", name(calls.name[i]),
                           {calls.startNs[i], calls.endNs[i]});
        }
    }

    /// On separate tracks: the driver's view of a call may also be on the thread's track.
    void launches()
    {
        const trace::LaunchColumns& launches = m_process.launches;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            if (!isWanted({launches.startNs[i], launches.endNs[i]})) {
                continue;
            }
            const std::int64_t tid = kFirstLauncher + launches.tid[i];
            m_events.slice(tid, "launch", name(launches.api[i]), {launches.startNs[i], launches.endNs[i]},
                           fmt::format("{{\"correlation\":{}}}", launches.correlation[i]));
            track(tid, kLauncherOrder, [&] { return fmt::format("launches of thread {}", launches.tid[i]); });
        }
    }

    /// Not from a launch that is left out: readers want both ends.
    void arrow(std::uint32_t correlation, std::int64_t tid, std::int64_t startNs)
    {
        const trace::LaunchColumns& launches = m_process.launches;
        const auto row = m_model.launches[m_rank.process].find(correlation);
        if (row && isWanted({launches.startNs[*row], launches.endNs[*row]})) {
            m_events.flow(kFirstLauncher + launches.tid[*row], launches.startNs[*row], tid, startNs);
        }
    }

    void deviceWork()
    {
        forEachDeviceWork(m_model, m_rank, [this](const ShownWork& work) {
            const std::int64_t tid = trackOf(work); // a stream has the same number in every part of a run
            if (!isWanted(work.time)) {
                return;
            }
            if (work.copy) {
                copy(work, tid);
            } else {
                kernel(work, tid);
            }
        });
    }

    void kernel(const ShownWork& work, std::int64_t tid)
    {
        const trace::StringId id = m_process.kernels.name[work.row];
        const bool communicates = m_model.classes[m_rank.process].of(id) == model::KernelClass::Communication;
        m_events.slice(tid, communicates ? "communication" : "compute", name(id), work.time,
                       m_launches.of(work.row));
        arrow(m_process.kernels.correlation[work.row], tid, work.time.start);
    }

    void copy(const ShownWork& work, std::int64_t tid)
    {
        const trace::CopyColumns& copies = m_process.copies;
        const std::uint32_t kind = copies.kind[work.row];
        m_events.slice(tid, "copy", kind == trace::kSetKind ? "\"set\"" : "\"copy\"", work.time,
                       fmt::format("{{\"bytes\":{},\"kind\":{}}}", copies.bytes[work.row], kind));
        arrow(copies.correlation[work.row], tid, work.time.start);
    }

    /// Adds times between CUDA events. They are beside the work of the streams, because a run usually has
    /// only one of both, and they do not nest: the times of two calls may cross by their uncertainty.
    void eventTimes()
    {
        const trace::EventTimeColumns& times = m_process.eventTimes;
        const auto calls = namesOfCalls(times.size() != 0);
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (times.uncertaintyNs[i] == trace::kUnboundedNs || !m_rank.owns(times.device[i]) ||
                !isWanted({times.startNs[i], times.endNs[i]})) {
                continue; // only the length of some is known
            }
            const auto call = calls.find(static_cast<std::int64_t>(times.call[i]));
            const std::int64_t tid = kFirstTimedStream + times.stream[i];
            track(tid, kTimedStreamOrder, [&] {
                return fmt::format("GPU {}, {}, between CUDA events", times.device[i],
                                   streamName(times.stream[i]));
            });
            m_events.async(tid, "event_time", call != calls.end() ? call->second : "\"NCCL call\"",
                           {times.startNs[i], times.endNs[i]},
                           fmt::format("{{\"uncertainty_ns\":{}}}", times.uncertaintyNs[i]));
        }
    }

    std::unordered_map<std::int64_t, std::string> namesOfCalls(bool wanted)
    {
        std::unordered_map<std::int64_t, std::string> names;
        if (wanted) {
            for (const trace::GroupRow& group : m_process.groups) {
                names.emplace(group.id, "\"NCCL group\"");
            }
            for (const trace::CollectiveCallRow& call : m_process.collectiveCalls) {
                names.emplace(call.id, name(call.api));
            }
        }
        return names;
    }

    [[nodiscard]] std::string streamName(std::uint32_t id) const
    {
        const auto row = std::find_if(m_process.streams.begin(), m_process.streams.end(),
                                      [id](const trace::StreamRow& stream) { return stream.id == id; });
        return row != m_process.streams.end() ? fmt::format("stream {:#x}", row->handle) : "default stream";
    }

    void samples()
    {
        std::map<std::int64_t, std::string> names;
        for (const trace::SeriesRow& row : m_process.series) {
            names.emplace(
                row.id, jsonText(fmt::format("{} {} {}", row.source.text(), row.entity, row.metric.text())));
        }
        const trace::SampleColumns& samples = m_process.samples;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const auto found = names.find(samples.series[i]);
            if (found != names.end() && isWanted({samples.timeNs[i], samples.timeNs[i]})) {
                m_events.counter(found->second, samples.timeNs[i], samples.value[i]);
            }
        }
    }

    void tracks()
    {
        for (const auto& [tid, track] : m_tracks) {
            m_events.trackName(tid, track.name, track.order);
        }
    }

    const model::Model& m_model;
    const model::Rank& m_rank;
    const trace::ProcessTrace& m_process;
    EventStream& m_events;
    const std::optional<model::Interval> m_time; ///< run time; null: all
    LaunchArguments m_launches{m_process};
    std::map<trace::StringId, std::string> m_names; ///< as JSON
    std::map<std::int64_t, trace::ThreadRow> m_threads;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, std::int64_t>
        m_streams; ///< track by device, stream and lane
    std::map<std::int64_t, Track> m_tracks;
};

} // namespace

void writeRankEvents(const model::Model& model, std::size_t rank, const model::ClockMap& clock,
                     const Sink& sink, const std::optional<model::Interval>& time)
{
    EventStream events(sink, model.ranks[rank].rank, clock);
    RankEvents(model, model.ranks[rank], events, time).write();
    events.finish();
}

} // namespace ringside::exporting
