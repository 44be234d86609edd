// SPDX-License-Identifier: Apache-2.0
#include "live/alarm_watch.h"

#include "live/alarm_log.h"
#include "live/shared_steps.h"
#include "output/json_value.h"

#include <algorithm>

namespace ringside::live {
namespace {

std::vector<RankFigures> figuresOf(const std::vector<const Step*>& step,
                                   const std::map<std::int64_t, RankSteps>& ranks)
{
    std::vector<RankFigures> figures;
    auto rank = ranks.begin();
    for (const Step* each : step) {
        RankFigures one;
        one.rank = (rank++)->first;
        one.stepNs = static_cast<double>(each->stepNs);
        one.blockingNs = static_cast<double>(each->blockingNs);
        if (each->communicationNs && each->computeNs && each->deviceStepNs.value_or(0) > 0) {
            one.communicationNs = static_cast<double>(*each->communicationNs);
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
