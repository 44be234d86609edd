// SPDX-License-Identifier: Apache-2.0
// Reads the RDMA ports of this machine repeatedly and makes a run of the readings, as the collector would.
// The same rules judge live and recorded ports.
#pragma once
#include "host/rdma/watch.h"
#include "trace/vocabulary/series.h"

#include <ringside/trace/reader.h>

#include <string>

namespace ringside::cli {

class LivePorts final {
public:
    /// Reads below `sysfsRoot`, which is "/sys" or a tree like it.
    explicit LivePorts(const std::string& sysfsRoot);
    ~LivePorts() { m_watch.close(); }
    LivePorts(const LivePorts&) = delete;
    LivePorts& operator=(const LivePorts&) = delete;
    /// Returns false if this machine has no RDMA device.
    [[nodiscard]] bool areThere() const { return m_watch.list().isThere(); }
    [[nodiscard]] const std::string& folder() const { return m_watch.list().folder(); }
    /// Reads all ports once, at that time in ns. Keeps the last 600 readings.
    void read(std::int64_t nowNs);
    [[nodiscard]] trace::RunTrace run() const;

private:
    void add(const host::Port& port, std::int64_t timeNs);
    void addEvents(const host::Port& port, const std::vector<host::Verbs::Event>& events,
                   std::int64_t timeNs);
    /// Returns the series of a port; `reason` tells why it has no values; empty: it has some.
    std::uint32_t seriesOf(const host::Port& port, trace::SeriesName name, const std::string& reason);
    void addSample(std::uint32_t series, std::int64_t timeNs, std::int64_t value);
    void forgetOldest();

    host::Watch m_watch;
    trace::ProcessTrace m_trace;
    std::vector<std::int64_t> m_readings; ///< time of each reading
};

/// Returns RINGSIDE_SYSFS_ROOT if it is set, else "/sys".
[[nodiscard]] std::string sysfsRoot();

} // namespace ringside::cli
