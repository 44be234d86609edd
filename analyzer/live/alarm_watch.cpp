// SPDX-License-Identifier: Apache-2.0
#include "live/alarm_watch.h"

#include "live/alarm_log.h"
#include "live/complaints.h"
#include "live/lateness.h"
#include "live/shared_steps.h"
#include "live/waits.h"
#include "output/json_value.h"
#include "trace/vocabulary/clock_reasons.h"
#include "trace/vocabulary/series.h"
#include "values/quantile.h"
#include "values/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::live {
namespace {

constexpr std::size_t kMostWatched = 65536;

bool isMemory(const Sample& sample)
{
    return sample.metric == trace::entryOf(trace::SeriesName::ResidentMemory).metric ||
           sample.metric == trace::entryOf(trace::SeriesName::MemoryUsed).metric;
}

bool isClockReason(const Sample& sample)
{
    return sample.metric == trace::entryOf(trace::SeriesName::ClockEventReasons).metric;
}

void remember(std::deque<bool>& looks, bool bad)
{
    looks.push_back(bad);
    if (looks.size() > static_cast<std::size_t>(SampleWatch::kLooks)) {
        looks.pop_front();
    }
}

constexpr std::size_t kFewestSteps = 5;
constexpr std::int64_t kMsOfSecond = 1000;

struct Progress {
    std::int64_t latestMs = 0;
    std::int64_t spokenMs = 0; ///< when a process last said anything
    std::vector<std::int64_t> stepMs;
};

Progress progressOf(const RunNow& run)
{
    constexpr std::int64_t kNsAMs = 1'000'000;
    Progress progress;
    for (const Snapshot& host : run.hosts) {
        for (const Process& process : host.processes) {
            progress.spokenMs = std::max(progress.spokenMs, process.atMs);
            for (const Communicator& communicator : process.communicators) {
                progress.latestMs = std::max(progress.latestMs, communicator.issuedMs.value_or(0));
            }
            for (const Step& step : process.recentSteps) {
                if (step.isMarked) {
                    progress.latestMs = std::max(progress.latestMs, step.endMs);
                    progress.stepMs.push_back(step.stepNs / kNsAMs);
                }
            }
        }
    }
    return progress;
}

std::string who(const RunNow& run)
{
    RunNow now = run;
    now.readMs += kLongWaitMs; // the whole job stands still: no wait is too short to be told
    const std::vector<Wait> waits = findWaits(now);
    if (waits.empty()) {
        return "";
    }
    return fmt::format("; rank{} {} {} not where the others wait",
                       waits.front().missing.size() == 1 ? "" : "s", fmt::join(waits.front().missing, ", "),
                       waits.front().missing.size() == 1 ? "is" : "are");
}

std::vector<RankFigures> figuresOf(const std::vector<const Step*>& step,
                                   const std::map<std::int64_t, RankSteps>& ranks)
{
    std::vector<RankFigures> figures;
    const auto communication = communicationOf(step);
    auto rank = ranks.begin();
    for (const Step* each : step) {
        RankFigures one;
        one.rank = (rank++)->first;
        one.stepNs = static_cast<double>(each->stepNs);
        one.blockingNs = static_cast<double>(each->blockingNs);
        if (communication) {
            one.communicationNs = static_cast<double>((*communication)[figures.size()]);
        }
        if (each->communicationNs && each->computeNs && each->deviceStepNs.value_or(0) > 0) {
            one.busyShare = static_cast<double>(*each->computeNs) / static_cast<double>(*each->deviceStepNs);
        }
        figures.push_back(one);
    }
    return figures;
}

void append(std::vector<AlarmChange>& to, std::vector<AlarmChange>&& from)
{
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

} // namespace

std::vector<AlarmChange> SampleWatch::look(const RunNow& run)
{
    std::vector<AlarmChange> changes;
    for (const Snapshot& host : run.hosts) {
        for (const Process& process : host.processes) {
            for (const Sample& sample : process.samples) {
                const bool errors = countsErrors(sample);
                if (!errors && !isMemory(sample) && !isClockReason(sample)) {
                    continue;
                }
                const std::string where =
                    host.host + " " + (sample.entity.empty() ? process.name : sample.entity);
                const std::string key =
                    where + "\n" + sample.metric + (isMemory(sample) ? "\n" + process.name : "");
                if (m_watched.size() >= kMostWatched && !m_watched.contains(key)) {
                    continue;
                }
                Watched& watched = m_watched[key];
                if (watched.seen && sample.atMs <= watched.atMs) {
                    continue; // nothing new; of a GPU that two processes watch, the later one counts
                }
                if (errors) {
                    watchErrors(where, sample, watched, changes);
                } else if (isMemory(sample)) {
                    watchMemory(where, sample, watched, changes);
                } else {
                    watchThrottling(where, sample, watched, changes);
                }
                watched.seen = true;
                watched.value = sample.value;
                watched.atMs = sample.atMs;
            }
        }
    }
    return changes;
}

void SampleWatch::watchErrors(const std::string& where, const Sample& sample, Watched& watched,
                              std::vector<AlarmChange>& changes)
{
    const bool rose = watched.seen && sample.value > watched.value;
    watched.fromErrors =
        std::ranges::count(watched.bad, true) == 0 && rose ? watched.value : watched.fromErrors;
    remember(watched.bad, rose);
    const auto rising = std::ranges::count(watched.bad, true);
    if (!watched.raised && rising >= kRisingLooks) {
        watched.raised = true;
        changes.push_back({"link_errors", true, std::nullopt,
                           fmt::format("{}: {} rises, by {} in the last seconds", where, sample.metric,
                                       sample.value - watched.fromErrors),
                           where + " " + sample.metric});
    } else if (watched.raised && rising == 0) {
        watched.raised = false;
        changes.push_back({"link_errors", false, std::nullopt,
                           fmt::format("{}: {} does not rise any more", where, sample.metric),
                           where + " " + sample.metric});
    }
}

void SampleWatch::watchThrottling(const std::string& where, const Sample& sample, Watched& watched,
                                  std::vector<AlarmChange>& changes)
{
    const std::string_view holder = trace::clock_reasons::troubleIn(sample.value);
    remember(watched.bad, !holder.empty());
    const auto bad = std::ranges::count(watched.bad, true);
    if (!watched.raised && bad == kLooks) {
        watched.raised = true;
        changes.push_back({"throttling", true, std::nullopt,
                           fmt::format("{}: {} holds the clocks down", where, holder), where});
    } else if (watched.raised && bad == 0) {
        watched.raised = false;
        changes.push_back({"throttling", false, std::nullopt, where + ": its clocks are free again", where});
    }
}

/// By the least value of each minute: what comes and goes does not count.
void SampleWatch::watchMemory(const std::string& where, const Sample& sample, Watched& watched,
                              std::vector<AlarmChange>& changes)
{
    constexpr std::int64_t kMinuteMs = 60'000;
    if (sample.atMs / kMinuteMs == watched.minute && !watched.minutes.empty()) {
        watched.minutes.back() = std::min(watched.minutes.back(), sample.value);
        return;
    }
    watched.minute = sample.atMs / kMinuteMs;
    watched.minutes.push_back(sample.value);
    if (watched.minutes.size() <= kMinutes + 1) { // the last one has only begun
        return;
    }
    watched.minutes.pop_front();
    int rises = 0;
    for (std::size_t i = 1; i < kMinutes; ++i) {
        rises += watched.minutes[i] > watched.minutes[i - 1] ? 1 : 0;
    }
    constexpr int kOften = static_cast<int>(kMinutes * 9 / 10);
    const std::int64_t grown = watched.minutes[kMinutes - 1] - watched.minutes.front();
    const bool grows = rises >= kOften && grown >= kGrowthBytes &&
                       static_cast<double>(grown) > kGrowth * static_cast<double>(watched.minutes.front());
    if (grows != watched.raised) {
        watched.raised = grows;
        changes.push_back(
            {"memory_growth", grows, std::nullopt,
             grows ? fmt::format("{}: {} grew by {} in {} minutes, in nearly every one", where, sample.metric,
                                 values::byteText(static_cast<double>(grown)), kMinutes)
                   : fmt::format("{}: {} does not grow any more", where, sample.metric),
             where + " " + sample.metric});
    }
}

void ProgressWatch::noteWork(const RunNow& run)
{
    for (const Snapshot& host : run.hosts) {
        for (const Process& process : host.processes) {
            noteWork(process, m_work[process.name]);
        }
    }
}

/// Notes when a process was last seen to work: for half of the time between two of its samples, in which it
/// was not inside the same call.
void ProgressWatch::noteWork(const Process& process, Work& before)
{
    constexpr std::int64_t kHalf = 2;
    constexpr std::int64_t kNsAMs = 1'000'000;
    const bool waits =
        std::ranges::any_of(process.calls, [&](const Call& call) { return call.sinceMs <= before.atMs; });
    Work now;
    for (const Sample& sample : process.samples) { // on a busy host, work waits for a CPU
        if (sample.source == "process" && (sample.metric == "cpu_ns" || sample.metric == "run_delay_ns")) {
            now.atMs = sample.atMs;
            now.cpuNs += sample.value;
        } else if (const auto place = trace::storageSeriesPlace(sample.source, sample.metric)) {
            now.storage.timeNs = sample.atMs * kNsAMs;
            now.storage.values[*place] = sample.value;
        }
    }
    if (before.storage.timeNs != 0 && now.storage.timeNs > before.storage.timeNs) {
        now.use = waits ? trace::StorageUse{} : trace::storageUseBetween(before.storage, now.storage);
        const std::int64_t busyMs = now.use.busy() ? now.storage.timeNs / kNsAMs : 0;
        m_movedMs = std::max(m_movedMs, now.use.moves ? busyMs : 0);
        m_workedMs = std::max(m_workedMs, busyMs);
        before.storage = now.storage;
        before.use = now.use;
    } else if (before.storage.timeNs == 0) {
        before.storage = now.storage;
    }
    if (before.atMs != 0 && !waits && now.atMs > before.atMs &&
        (now.cpuNs - before.cpuNs) * kHalf >= (now.atMs - before.atMs) * kNsAMs) {
        m_workedMs = std::max(m_workedMs, now.atMs);
    }
    if (now.atMs > before.atMs) {
        before.atMs = now.atMs;
        before.cpuNs = now.cpuNs;
    }
}

/// Of a job that has stood still for long: whose storage does not answer. Empty: nobody's.
std::string ProgressWatch::waitsForStorage(const RunNow& run) const
{
    std::vector<std::int64_t> ranks;
    for (const Snapshot& host : run.hosts) {
        for (const Process& process : host.processes) {
            const auto work = m_work.find(process.name);
            if (work != m_work.end() && work->second.use.waits && !process.ranks.empty()) {
                ranks.push_back(process.ranks.front().rank);
            }
        }
    }
    return ranks.empty()
               ? ""
               : fmt::format("; the storage of rank{} {} does not answer, or moves less than 1 MiB a "
                             "second",
                             ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

std::vector<AlarmChange> ProgressWatch::look(const RunNow& run)
{
    constexpr std::int64_t kSteps = 5; // are known before any pause was seen
    constexpr std::int64_t kNsOfMs = 1'000'000;
    const Progress progress = progressOf(run);
    noteWork(run);
    std::vector<AlarmChange> changes;
    if (progress.stepMs.size() >= kFewestSteps) {
        m_hasRhythm = true;
        m_stepMs = values::median(progress.stepMs);
    }
    if (progress.latestMs > m_progressMs) {
        const std::int64_t pause = m_progressMs != 0 && m_hasRhythm ? progress.latestMs - m_progressMs : 0;
        m_progressMs = progress.latestMs;
        if (m_still && pause > 0) { // not one in which nobody looked
            m_patience.survived(pause * kNsOfMs);
        }
        m_still = false;
        if (m_hangs) {
            m_hangs = false;
            changes.push_back({"hang", false, std::nullopt, "the job goes on"});
        }
        return changes;
    }
    // By the clock of those who speak: a process that says nothing is no proof that it does nothing.
    const std::int64_t stillMs = progress.spokenMs - m_progressMs;
    const std::int64_t workedMs = std::max(
        std::clamp<std::int64_t>(m_workedMs - m_progressMs, 0, kLongestWorkMs), m_movedMs - m_progressMs);
    m_still = true;
    if (m_hasRhythm && !m_hangs && m_progressMs != 0 &&
        (stillMs - workedMs) * kNsOfMs >= m_patience.of(std::max(kPatienceMs, kSteps * m_stepMs) * kNsOfMs)) {
        m_hangs = true;
        changes.push_back({"hang", true, std::nullopt,
                           fmt::format("no step and no collective for {} s, a step took {:.1f} s before{}{}",
                                       stillMs / kMsOfSecond,
                                       static_cast<double>(m_stepMs) / static_cast<double>(kMsOfSecond),
                                       who(run), waitsForStorage(run))});
    }
    return changes;
}

std::vector<AlarmChange> AlarmWatch::look(const RunNow& run)
{
    std::vector<AlarmChange> changes;
    addSteps(run, changes);
    append(changes, m_samples.look(run));
    append(changes, m_progress.look(run));
    for (const AlarmChange& change : changes) {
        keep(change, run.readMs);
    }
    return changes;
}

/// Steps that were not seen before. Those of a job that counts anew, after a restart, are new, too.
void AlarmWatch::addSteps(const RunNow& run, std::vector<AlarmChange>& changes)
{
    constexpr std::size_t kMost = 64;
    const std::map<std::int64_t, RankSteps> ranks = stepsOfRanks(run);
    const auto shared = sharedSteps(ranks, kMost);
    if (shared.empty()) {
        return;
    }
    const std::int64_t latest = sharedNumber(*shared.back().front());
    if (m_lastStep && latest < *m_lastStep) {
        m_lastStep.reset();
        m_steps = {};
    }
    for (const auto& step : shared) {
        if (!m_lastStep || sharedNumber(*step.front()) > *m_lastStep) {
            append(changes, m_steps.add(figuresOf(step, ranks)));
            for (AlarmChange& change : changes) {
                change.step = change.step.value_or(sharedNumber(*step.front()));
            }
        }
    }
    m_lastStep = latest;
}

void AlarmWatch::keep(const AlarmChange& change, std::int64_t nowMs)
{
    if (change.began) {
        m_inForce.push_back(
            {std::string(change.kind.text()), change.message, nowMs, change.rank, change.subject});
        return;
    }
    std::erase_if(m_inForce, [&](const Alarm& alarm) {
        return alarm.kind == change.kind.text() && alarm.rank == change.rank &&
               alarm.subject == change.subject;
    });
}

std::string alarmJson(const AlarmChange& change, const RunNow& run)
{
    const Json json = {{"schema", kAlarmSchema},
                       {"kind", change.kind.text()},
                       {"state", change.began ? "began" : "ended"},
                       {"at_ms", run.readMs},
                       {"run", run.path.string()},
                       {"rank", orNull(change.rank)},
                       {"subject", change.subject.empty() ? Json(nullptr) : Json(change.subject)},
                       {"step", orNull(change.step)},
                       {"message", change.message}};
    return json.dump() + "\n";
}

std::string alarmsJson(const std::vector<Alarm>& alarms)
{
    Json list = Json::array();
    for (const Alarm& alarm : alarms) {
        list.push_back({{"kind", alarm.kind},
                        {"message", alarm.message},
                        {"at_ms", alarm.atMs},
                        {"rank", orNull(alarm.rank)},
                        {"subject", alarm.subject}});
    }
    return list.dump();
}

} // namespace ringside::live
