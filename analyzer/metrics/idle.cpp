// SPDX-License-Identifier: Apache-2.0
#include "metrics/idle.h"

#include "metrics/host_threads.h"

namespace ringside::metrics {
namespace {

/// How long after the end of its launch a kernel may start although nothing is ahead of it, ns. The way from
/// the call to the device takes up to 20 us, and HolisticTraceAnalysis calls more than 100 us an outlier.
constexpr std::int64_t kLaunchToStart = 100'000;

/// The longest time from the end of a kernel to the begin of the queued one behind it that needs no other
/// reason, ns. GPUs take 1 to 2 us, and up to 5 us where a kernel on another stream has to end first.
constexpr std::int64_t kToTheNextKernel = 5'000;

constexpr std::array<std::string_view, kIdleClasses> kIdleNames = {
    "data_loading",    "synchronization", "host_bound", "launch_latency",
    "between_kernels", "dependency_wait", "other"};

/// Finds the correlation id of the work that starts at a given time. Times must ascend from call to call.
class StartFinder final {
public:
    explicit StartFinder(const Lanes& lanes)
    {
        for (const Class c : {kCompute, kCommunication, kCopy}) {
            for (const Lane& lane : lanes[c]) {
                m_heads.push_back({&lane, 0});
            }
        }
    }
    std::optional<std::uint32_t> startingAt(std::int64_t time)
    {
        std::optional<std::uint32_t> found;
        for (auto& [lane, next] : m_heads) {
            while (next < lane->count && lane->start(next) < time) {
                ++next;
            }
            if (next < lane->count && lane->start(next) == time) {
                found = (*lane->correlations)[lane->row(next)];
            }
        }
        return found;
    }

private:
    std::vector<std::pair<const Lane*, std::size_t>> m_heads;
};

struct HostTimeline {
    std::vector<Interval> data;
    std::vector<Interval> blocking;
};

/// Returns the data loading ranges and blocking calls of the threads that work for this rank.
HostTimeline hostTimeline(const model::Model& model, const model::Rank& rank)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    const HostThreads threads(model, rank);
    HostTimeline result;
    std::unordered_map<trace::StringId, bool> known;
    const auto test = [&](trace::StringId id, bool (*predicate)(std::string_view)) {
        const auto [entry, fresh] = known.try_emplace(id, false);
        if (fresh) {
            entry->second = predicate(process.text(id));
        }
        return entry->second;
    };
    for (const trace::RangeRow& range : process.ranges) {
        if (test(range.name, isDataLoadingRange) && threads.concern(range.thread)) {
            result.data.push_back({range.startNs, range.endNs});
        }
    }
    known.clear();
    for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
        if (test(process.apiCalls.api[i], isBlockingCall) &&
            threads.concern(process.apiCalls.thread[i], process.apiCalls.stream[i])) {
            result.blocking.push_back({process.apiCalls.startNs[i], process.apiCalls.endNs[i]});
        }
    }
    return {values::unite(std::move(result.data)), values::unite(std::move(result.blocking))};
}

class Divider final {
public:
    Divider(const HostTimeline& host, IdleTimes& times) : m_host(host), m_times(times) {}

    void add(const Interval& gap, std::optional<Interval> launch)
    {
        if (!launch) {
            addHostPart(gap, IdleClass::Other);
            return;
        }
        const std::int64_t queued = std::clamp(launch->start, gap.start, gap.end);
        addHostPart({gap.start, queued}, IdleClass::HostBound);
        const std::int64_t due =
            launch->end > gap.start ? std::clamp(launch->end + kLaunchToStart, queued, gap.end) : queued;
        put(IdleClass::LaunchLatency, {queued, due}, due - queued);
        const bool next = due == gap.start && gap.length() <= kToTheNextKernel;
        put(next ? IdleClass::BetweenKernels : IdleClass::DependencyWait, {due, gap.end}, gap.end - due);
    }

private:
    void addHostPart(const Interval& part, IdleClass otherwise)
    {
        const std::int64_t data = values::coveredWithin(m_host.data, part);
        const bool blocked = values::coveredWithin(m_host.blocking, {part.start - 1, part.start + 1}) > 0;
        put(IdleClass::DataLoading, part, data);
        put(blocked ? IdleClass::Synchronization : otherwise, part, part.length() - data);
    }

    void put(IdleClass idle, const Interval& where, std::int64_t ns)
    {
        const auto index = static_cast<std::size_t>(idle);
        m_times.ns[index] += ns;
        if (ns > 0 && where.length() > m_times.longest[index].length()) {
            m_times.longest[index] = where;
        }
    }

    const HostTimeline& m_host;
    IdleTimes& m_times;
};

} // namespace

std::string_view idleClassName(IdleClass idle)
{
    return kIdleNames[static_cast<std::size_t>(idle)];
}

IdleClass IdleTimes::biggest() const
{
    return static_cast<IdleClass>(std::max_element(ns.begin(), ns.end()) - ns.begin());
}

struct IdleClassifier::Sources {
    const trace::LaunchColumns& rows;
    const model::LaunchIndex& launches;
    HostTimeline host;
    StartFinder finder;
};

IdleClassifier::IdleClassifier(const model::Model& model, const model::Rank& rank, const DeviceWork& work)
    : m_sources(new Sources{model.processOf(rank).launches, model.launches[rank.process],
                            hostTimeline(model, rank), StartFinder(work.lanes())})
{}

IdleClassifier::~IdleClassifier() = default;

void IdleClassifier::add(const Interval& gap)
{
    std::optional<Interval> launch;
    if (const auto correlation = m_sources->finder.startingAt(gap.end)) {
        if (const auto row = m_sources->launches.find(*correlation)) {
            launch = Interval{m_sources->rows.startNs[*row], m_sources->rows.endNs[*row]};
        }
    }
    Divider(m_sources->host, m_times).add(gap, launch);
}

} // namespace ringside::metrics
