// SPDX-License-Identifier: Apache-2.0
#include "sampled/host_snapshot.h"

#include "record/clock.h"

#include <ringside/trace/live_snapshot.h>

namespace ringside::collector::sampled {

HostSnapshot::HostSnapshot(const ProcessNames& names)
    : m_runDirectory(names.runDirectory)
    , m_host(names.host)
    , m_lock(names.runDirectory + "/" + names.host + trace::kLiveLockEnding, names.base)
{}

void HostSnapshot::read(Readings& /*readings*/, Pace pace)
{
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    if (pace != Pace::OnceASecond || now < m_nextNs || !m_lock.take()) {
        return;
    }
    m_nextNs = now + trace::kLivePeriodNs;
    static_cast<void>(trace::writeLiveSnapshot(m_runDirectory, m_host));
}

/// This process's part is gone by now (Participant::withdraw). The snapshot is removed with the last part: so
/// the last process of the host takes the lock, even if it never had it.
void HostSnapshot::close()
{
    if (m_lock.take()) {
        static_cast<void>(trace::writeLiveSnapshot(m_runDirectory, m_host));
        m_lock.release();
    }
}

} // namespace ringside::collector::sampled
