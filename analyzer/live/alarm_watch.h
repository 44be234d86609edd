// SPDX-License-Identifier: Apache-2.0
// All alarms of a running job, from one look at its snapshots after the other. trace/vocabulary/alarm_kind.h
// describes them.
#pragma once
#include "live/snapshot.h"
#include "live/step_watch.h"
#include "trace/vocabulary/storage_use.h"
#include "values/patience.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::live {

// Alarms from samples: errors of links and GPUs that rise, clocks that are held down, memory that grows.

/// Kinds "link_errors", "throttling" and "memory_growth". A look is about two seconds.
class SampleWatch final {
public:
    static constexpr int kLooks = 5;            ///< that errors and throttling are judged by
    static constexpr int kRisingLooks = 3;      ///< of them, in which errors must have risen
    static constexpr std::size_t kMinutes = 20; ///< that memory must have grown for
    static constexpr double kGrowth = 0.05;     ///< of it, and
    static constexpr std::int64_t kGrowthBytes = std::int64_t{256} << 20;

    [[nodiscard]] std::vector<AlarmChange> look(const RunNow& run);

private:
    struct Watched {
        bool seen = false;
        std::int64_t value = 0;
        std::int64_t atMs = 0;
        std::deque<bool> bad; ///< of the latest looks
        std::int64_t fromErrors = 0;
        bool raised = false;
        std::int64_t minute = 0;
        std::deque<std::int64_t> minutes; ///< the least of each minute
    };
    void watchErrors(const std::string& where, const Sample& sample, Watched& watched,
                     std::vector<AlarmChange>& changes);
    void watchThrottling(const std::string& where, const Sample& sample, Watched& watched,
                         std::vector<AlarmChange>& changes);
    void watchMemory(const std::string& where, const Sample& sample, Watched& watched,
                     std::vector<AlarmChange>& changes);

    std::map<std::string, Watched> m_watched; ///< by host, entity and metric; of memory, also by process
};

// The alarm of a job that stands still, once it had a rhythm.

/// A job makes progress when a step ends or a collective is issued. Its rhythm is known once some steps have
/// come. It stands still when nothing has come for kPatienceMs, for five times the median step, and longer
/// than pauses suggest after which it went on (values::Patience). Time in which a rank that is not inside one
/// long call computes or waits for storage, as in a checkpoint, a compilation or an evaluation, does not
/// count, up to kLongestWorkMs; nor does time in which such a rank moves data of storage, without a limit.
class ProgressWatch final {
public:
    static constexpr std::int64_t kPatienceMs = 9'000;
    /// Twice the time after which PyTorch gives up a collective: a rank that turns in a loop is told then.
    static constexpr std::int64_t kLongestWorkMs = 1'200'000;

    /// Kind "hang".
    [[nodiscard]] std::vector<AlarmChange> look(const RunNow& run);

private:
    struct Work {
        std::int64_t atMs = 0;
        std::int64_t cpuNs = 0;
        trace::StorageReading storage;
        trace::StorageUse use; ///< of the storage, before that reading
    };
    void noteWork(const RunNow& run);
    void noteWork(const Process& process, Work& before);
    [[nodiscard]] std::string waitsForStorage(const RunNow& run) const;

    std::map<std::string, Work> m_work; ///< of each process, at the look before
    std::int64_t m_workedMs = 0;        ///< when a process was last seen to compute or to wait for storage
    std::int64_t m_movedMs = 0;         ///< when a process was last seen to move data of files
    bool m_still = false;               ///< since the last progress, a look saw none
    std::int64_t m_progressMs = 0;      ///< the latest that was seen
    values::Patience m_patience;
    std::int64_t m_stepMs = 0;
    bool m_hasRhythm = false;
    bool m_hangs = false;
};

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
