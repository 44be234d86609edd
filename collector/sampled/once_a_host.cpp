// SPDX-License-Identifier: Apache-2.0
#include "sampled/once_a_host.h"

#include <ringside/trace/tier_reason.h>

namespace ringside::collector::sampled {

void OnceAHost::read(Readings& readings, Pace pace)
{
    if (!m_lock.isHeld() && (pace != Pace::OnceASecond || !m_lock.take())) {
        return;
    }
    if (!m_opened) {
        m_opened = true;
        m_source->open();
    }
    m_source->read(readings, pace);
}

void OnceAHost::close()
{
    if (m_opened) {
        m_source->close();
    }
    m_lock.release();
}

std::string OnceAHost::reason() const
{
    if (m_lock.isHeld()) {
        return m_source->reason();
    }
    return m_lock.failure().empty() ? std::string(trace::kSampledBy) + m_lock.holder() : m_lock.failure();
}

} // namespace ringside::collector::sampled
