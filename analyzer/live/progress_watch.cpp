// SPDX-License-Identifier: Apache-2.0
#include "live/progress_watch.h"

#include "live/waits.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::live {
namespace {

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

} // namespace

std::int64_t ProgressWatch::patienceMs() const
{
    constexpr std::int64_t kSteps = 5;
    constexpr std::int64_t kPauses = 2;
    return std::max({kPatienceMs, kSteps * m_stepMs, kPauses * m_longestPauseMs});
}

std::vector<AlarmChange> ProgressWatch::look(const RunNow& run)
{
    const Progress progress = progressOf(run);
    std::vector<AlarmChange> changes;
    if (progress.stepMs.size() >= kFewestSteps) {
        m_hasRhythm = true;
        m_stepMs = values::median(progress.stepMs);
    }
    if (progress.latestMs > m_progressMs) {
        const std::int64_t pause = m_progressMs != 0 && m_hasRhythm ? progress.latestMs - m_progressMs : 0;
        m_progressMs = progress.latestMs;
        if (m_hangs) {
            m_longestPauseMs = std::max(m_longestPauseMs, pause); // such a pause is known from now on
            m_hangs = false;
            changes.push_back({"hang", false, std::nullopt, "the job goes on"});
        }
        return changes;
    }
    // By the clock of those who speak: a process that says nothing is no proof that it does nothing.
    const std::int64_t stillMs = progress.spokenMs - m_progressMs;
    if (m_hasRhythm && !m_hangs && m_progressMs != 0 && stillMs >= patienceMs()) {
        m_hangs = true;
        changes.push_back(
            {"hang", true, std::nullopt,
             fmt::format("no step and no collective for {} s, a step took {:.1f} s before{}",
                         stillMs / kMsOfSecond,
                         static_cast<double>(m_stepMs) / static_cast<double>(kMsOfSecond), who(run))});
    }
    return changes;
}

} // namespace ringside::live
