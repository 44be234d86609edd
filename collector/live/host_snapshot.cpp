// SPDX-License-Identifier: Apache-2.0
#include "live/host_snapshot.h"

#include "record/clock.h"

#include <ringside/trace/live_snapshot.h>

namespace ringside::collector::live {

HostSnapshot::HostSnapshot(const ProcessNames& names)
    : m_runDirectory(names.runDirectory)
    , m_host(names.host)
    , m_lock(names.runDirectory + "/" + names.host + trace::kLiveLockEnding, names.base)
{}

void HostSnapshot::read(sampled::Readings& /*readings*/, sampled::Pace /*pace*/)
{
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    if (now < m_nextNs || !m_lock.take()) {
        return;
    }
    m_nextNs = now + trace::kLivePeriodNs;
    static_cast<void>(trace::writeLiveSnapshot(m_runDirectory, m_host));
}

/// Without this process's part, which is gone by now. Without any part, the snapshot goes, too: so the last
/// process of the host takes the lock, even if it never had it.
void HostSnapshot::close()
{
    if (m_lock.take()) {
        static_cast<void>(trace::writeLiveSnapshot(m_runDirectory, m_host));
        m_lock.release();
    }
}

} // namespace ringside::collector::live
