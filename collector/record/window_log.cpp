// SPDX-License-Identifier: Apache-2.0
#include "record/window_log.h"

#include <algorithm>

namespace ringside::collector {
void WindowLog::write(trace::Writer& writer)
{
    for (const LevelChange& change : takeLevelChanges()) {
        add(writer, change);
    }
}

void WindowLog::add(trace::Writer& writer, const LevelChange& change)
{
    trace::WindowRow row;
    row.level = nameOf(change.now.level);
    row.startNs = change.atNs;
    row.why = inWords(plan(), change.now.reason);
    if (change.steps != 0) {
        row.step = static_cast<std::int64_t>(change.steps);
    }
    if (m_open && m_open->level == row.level && m_open->why == row.why) {
        return;
    }
    if (m_open) {
        row.startNs = std::max(row.startNs, m_open->startNs + 1); // the start is the row's key
        end(writer, row.startNs);
    }
    writer.setWindow(row);
    m_open = row;
}

void WindowLog::forgetBefore(trace::Writer& writer, std::int64_t ns, const char* why)
{
    write(writer);
    writer.pauseWindowsBefore(ns, why);
    if (m_open) {
        if (m_open->startNs < ns) { // what remains of it begins here, within some step
            m_open->startNs = ns;
            m_open->step.reset();
        }
    }
}

void WindowLog::end(trace::Writer& writer, std::int64_t ns)
{
    if (m_open) {
        m_open->endNs = std::max(ns, m_open->startNs);
        writer.setWindow(*m_open);
    }
}

} // namespace ringside::collector
