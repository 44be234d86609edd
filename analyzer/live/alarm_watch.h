// SPDX-License-Identifier: Apache-2.0
// All alarms of a running job, from one look at its snapshots after the other. trace/vocabulary/alarm_kind.h
// describes them.
#pragma once
#include "live/progress_watch.h"
#include "live/sample_watch.h"
#include "live/snapshot.h"
#include "live/step_watch.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::live {

class AlarmWatch final {
public:
    /// What began and what ended since the last look.
    [[nodiscard]] std::vector<AlarmChange> look(const RunNow& run);
    [[nodiscard]] const std::vector<Alarm>& inForce() const { return m_inForce; }

private:
    void addSteps(const RunNow& run, std::vector<AlarmChange>& changes);
    void keep(const AlarmChange& change, std::int64_t nowMs);

    StepWatch m_steps;
    SampleWatch m_samples;
    ProgressWatch m_progress;
    std::optional<std::int64_t> m_lastStep; ///< by its shared number
    std::vector<Alarm> m_inForce;
};

/// A line of RUN/alarms.jsonl and what --on-alarm's command reads: "ringside-alarm/1".
[[nodiscard]] std::string alarmJson(const AlarmChange& change, const RunNow& run);
/// As an array of JSON, for the snapshot.
[[nodiscard]] std::string alarmsJson(const std::vector<Alarm>& alarms);

} // namespace ringside::live
