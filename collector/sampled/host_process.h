// SPDX-License-Identifier: Apache-2.0
// Samples this process: CPU time, memory, page faults, context switches, and how long the threads that
// make recorded calls were runnable without a CPU.
#pragma once
#include "host/kept_file.h"
#include "record/registry.h"
#include "sampled/source.h"

#include <optional>
#include <string_view>
#include <vector>

namespace ringside::collector::sampled {

/// Parses /proc/PID/task/TID/schedstat.
struct ThreadSchedule {
    std::uint64_t cpuNs = 0;
    std::uint64_t runDelayNs = 0; ///< runnable, and waiting for a CPU
};
[[nodiscard]] std::optional<ThreadSchedule> parseSchedule(std::string_view text);

class HostProcess final : public Source {
public:
    explicit HostProcess(Registry& registry) : m_registry(registry) {}
    [[nodiscard]] const char* name() const override { return "process"; }
    void open() override;
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return {}; }

private:
    struct Thread {
        host::KeptFile file;
        ThreadSchedule first; ///< what it had before it was looked at
        ThreadSchedule last;
    };
    void readUsage(Readings& readings);
    void readStat(Readings& readings);
    void readThreads(Readings& readings);
    void addThreads(Readings& readings);
    bool readThread(Thread& thread) const;

    Registry& m_registry;
    host::KeptFile m_stat;
    std::vector<Thread> m_threads;
    ThreadSchedule m_ended; ///< of threads that are gone, so that the sums never fall
    bool m_schedules = false;

    Series m_user{"process", trace::SeriesName::CpuUser};
    Series m_system{"process", trace::SeriesName::CpuSystem};
    Series m_minorFaults{"process", trace::SeriesName::MinorFaults};
    Series m_majorFaults{"process", trace::SeriesName::MajorFaults};
    Series m_voluntary{"process", trace::SeriesName::VoluntarySwitches};
    Series m_involuntary{"process", trace::SeriesName::InvoluntarySwitches};
    Series m_resident{"process", trace::SeriesName::ResidentMemory};
    Series m_threadCount{"process", trace::SeriesName::Threads};
    Series m_recordingCpu{"recording threads", trace::SeriesName::RecordingCpu};
    Series m_recordingDelay{"recording threads", trace::SeriesName::RecordingDelay};
};

} // namespace ringside::collector::sampled
