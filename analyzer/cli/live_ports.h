// SPDX-License-Identifier: Apache-2.0
// Watches the RDMA ports of this machine and makes a run of what it reads, as the collector would: so live
// ports are judged by the same rules as recorded ones.
#pragma once
#include "host/rdma/watch.h"
#include "trace/vocabulary/series.h"

#include <ringside/trace/reader.h>

#include <string>

namespace ringside::cli {

class LivePorts final {
public:
    /// RINGSIDE_SYSFS_ROOT says where, else /sys.
    LivePorts();
    ~LivePorts() { m_watch.close(); }
    LivePorts(const LivePorts&) = delete;
    LivePorts& operator=(const LivePorts&) = delete;
    /// False where this machine has no RDMA device.
    [[nodiscard]] bool areThere() const { return m_watch.list().isThere(); }
    [[nodiscard]] const std::string& folder() const { return m_watch.list().folder(); }
    /// Reads all ports once. Readings older than the last 600 are forgotten.
    void read();
    [[nodiscard]] trace::RunTrace run() const;

private:
    void add(const host::Port& port, std::int64_t timeNs);
    void addEvents(const host::Port& port, const std::vector<host::Verbs::Event>& events,
                   std::int64_t timeNs);
    /// Of a port; `reason` says why values are missing, empty: they are not.
    std::uint32_t seriesOf(const host::Port& port, trace::SeriesName name, const std::string& reason);
    void addSample(std::uint32_t series, std::int64_t timeNs, std::int64_t value);
    void forgetOldest();

    host::Watch m_watch;
    trace::ProcessTrace m_trace;
    std::vector<std::int64_t> m_readings; ///< when each was
};

} // namespace ringside::cli
