// SPDX-License-Identifier: Apache-2.0
#include "record/control_poll.h"

#include "record/clock.h"
#include "record/levels.h"
#include "record/message.h"
#include "record/step_counts.h"
#include "record/trace_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ringside::collector {

ControlPoll::ControlPoll(const ProcessNames& names)
    : m_control(names.runDirectory + "/" + trace::kControlFile)
    , m_status(names.runDirectory + "/" + names.base + trace::kStatusExtension)
    , m_before(trace::readControl(m_control))
{
    m_answer.number = m_before ? m_before->number : 0;
}

void ControlPoll::begin()
{
    if (m_before && m_before->order) {
        obey(*m_before->order, true);
    }
}

void ControlPoll::pass()
{
    measureSteps();
    if (hasChanged()) {
        const auto request = trace::readControl(m_control);
        if (request && request->number != m_answer.number) {
            m_answer.number = request->number;
            if (request->order && request->order->number != m_order.number) {
                obey(*request->order, false);
            }
            if (request->verb == trace::ControlVerb::Dump) {
                m_answer.dump.clear();
                m_dumpAsked = true;
                requestDump("asked for by --attach-control");
            }
            answer();
        }
    }
    if (m_answer.inForce != m_order.number && isOrderInForce()) {
        applyLevel();
        m_answer.inForce = m_order.number;
        m_answer.sinceStep = m_byTime ? stepsNoted() : m_answer.sinceStep;
        answer();
    }
}

void ControlPoll::tellDump(const std::string& what)
{
    m_answer.dump = what;
    if (m_dumpAsked) {
        m_dumpAsked = false;
        answer();
    }
}

void ControlPoll::end()
{
    if (m_answered) {
        unlink(m_status.c_str());
    }
}

// A rename gives the file another inode. An inode that is used again has another time.
bool ControlPoll::hasChanged()
{
    struct stat status {};
    if (lstat(m_control.c_str(), &status) != 0) {
        return false;
    }
    const std::int64_t modified =
        status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
    const bool changed = status.st_ino != m_inode || modified != m_modifiedNs;
    m_inode = status.st_ino;
    m_modifiedNs = modified;
    return changed;
}

void ControlPoll::obey(const trace::ControlOrder& given, bool atOnce)
{
    const auto wanted = given.level == "profile" ? plan().fullLevel() : levelNamed(given.level);
    if (!wanted) {
        return; // of a newer Ringside: the status will not say that it is in force
    }
    m_order = given;
    LevelOrder due{*wanted, 0, readClockNs(CLOCK_MONOTONIC)};
    if (!atOnce && given.fromStep != 0 && stepsNoted() != 0) {
        due.fromStep = given.fromStep;
    } else if (!atOnce) {
        due.fromNs += given.realtimeNs - readClockNs(CLOCK_REALTIME);
    }
    m_byTime = due.fromStep == 0;
    order(due);
    applyLevel();
    // Read after the order was stored: a step that began before it must not be reported as affected by
    // it.
    m_answer.sinceStep = std::max(due.fromStep, stepsNoted());
}

// Measured from the first step on. A pass sees a step begin up to 250 ms late, so less than a second of
// measurement says little. A step in progress takes at least as long as it has taken so far.
void ControlPoll::measureSteps()
{
    constexpr std::int64_t kLongEnoughNs = 1'000'000'000;
    const std::uint64_t steps = stepsNoted();
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    if (steps < m_fromSteps || m_fromSteps == 0) { // a better source of steps came, or the first step
        m_fromNs = now;
        m_fromSteps = steps;
    } else if (now - m_fromNs >= kLongEnoughNs && steps == m_fromSteps) {
        m_answer.stepNs = std::max(m_answer.stepNs, now - m_fromNs);
    } else if (now - m_fromNs >= kLongEnoughNs) {
        m_answer.stepNs = (now - m_fromNs) / static_cast<std::int64_t>(steps - m_fromSteps);
        m_fromNs = now;
        m_fromSteps = steps;
    }
}

void ControlPoll::answer()
{
    m_answer.steps = stepsNoted();
    m_answer.level = nameOf(level());
    if (trace::writeStatus(m_status, m_answer)) {
        m_answered = true;
    } else {
        say(Talk::IfAsked, "cannot answer in %s: %s", m_status.c_str(), std::strerror(errno));
    }
}

} // namespace ringside::collector
