// SPDX-License-Identifier: Apache-2.0
#include "live/sample_watch.h"

#include "live/complaints.h"
#include "trace/vocabulary/series.h"
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
    remember(watched.bad, isThrottled(sample));
    const auto bad = std::ranges::count(watched.bad, true);
    if (!watched.raised && bad == kLooks) {
        watched.raised = true;
        changes.push_back({"throttling", true, std::nullopt, where + ": " + wrongWith(sample), where});
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

} // namespace ringside::live
