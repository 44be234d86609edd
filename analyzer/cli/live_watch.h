// SPDX-License-Identifier: Apache-2.0
// What `record` does for those who watch the job: it writes this host's snapshot, looks for alarms over all
// hosts, and writes metrics. The work of the host, and that of the run, is done by the `record` with the
// lock.
#pragma once
#include "host/host_lock.h"
#include "live/alarm_watch.h"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ringside::cli {

struct LiveOptions {
    std::string onAlarm; ///< command for the shell; empty: none
    std::string metrics; ///< directory; empty: no metrics
};

class LiveWatch final {
public:
    /// `onHang` is called when an alarm says that the job stands still.
    LiveWatch(std::filesystem::path run, LiveOptions options, std::function<void()> onHang);
    ~LiveWatch();
    LiveWatch(const LiveWatch&) = delete;
    LiveWatch& operator=(const LiveWatch&) = delete;

    /// Call it a few times a second. Never throws: the job matters more.
    void look();

private:
    void lookNow();
    void tell(const live::AlarmChange& change, const live::RunNow& now);
    void startCommand(const std::string& alarm);
    void collectCommands();
    void writeMetrics(const live::RunNow& now) const;

    std::filesystem::path m_run;
    LiveOptions m_options;
    std::function<void()> m_onHang;
    std::string m_host;
    host::HostLock m_hostLock;
    host::HostLock m_runLock;
    live::AlarmWatch m_alarms;
    std::int64_t m_nextNs = 0;
    std::vector<pid_t> m_commands; ///< that run
    bool m_warned = false;
    bool m_logWarned = false;
};

} // namespace ringside::cli
