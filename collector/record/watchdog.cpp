// SPDX-License-Identifier: Apache-2.0
#include "record/watchdog.h"

#include "record/message.h"
#include "record/trace_file.h"
#include "trace/write/small_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

namespace ringside::collector {
namespace {

/// Whether the ring belongs to a thread of the program: the rings of definitions and of the collector's
/// threads have no thread id.
bool isWatched(const Ring& ring)
{
    return ring.use.load(std::memory_order_acquire) == Ring::Use::Owned && ring.header().threadId != 0;
}

ThreadActivity activityOf(const Ring& ring, const trace::RingDecoder& decoder)
{
    const trace::RingHeader& header = ring.header();
    ThreadActivity thread;
    thread.ring = header.ringId;
    thread.tid = header.tid;
    thread.api = header.inFlight[0].api.load(std::memory_order_acquire);
    if (thread.api != 0) {
        thread.startTicks = __atomic_load_n(&header.inFlight[0].startTicks, __ATOMIC_RELAXED);
        thread.sinceNs = decoder.toMonotonicNs(thread.startTicks);
    }
    return thread;
}

} // namespace

Watchdog::Watchdog(const ProcessNames& names, std::int64_t timeoutNs)
    : m_request(names.runDirectory + "/" + names.base + ".hang")
    , m_timeoutNs(timeoutNs)
    , m_detector(timeoutNs)
{}

void Watchdog::pass(trace::Writer& writer, trace::RingDecoder& decoder, const std::vector<Ring*>& rings,
                    Registry& registry)
{
    if (m_timeoutNs == 0 || !decoder.clockReady()) {
        return;
    }
    ProcessActivity activity;
    activity.nowNs = readClockNs(CLOCK_MONOTONIC);
    activity.collectives = registry.collectivesIssued();
    for (const Ring* ring : rings) {
        if (isWatched(*ring)) {
            activity.threads.push_back(activityOf(*ring, decoder));
        }
    }
    switch (m_detector.look(activity)) {
    case HangDetector::Change::None:
        return;
    case HangDetector::Change::Began:
        m_row.noticedNs = activity.nowNs;
        begin(writer, decoder, rings);
        return;
    case HangDetector::Change::Ended:
        m_row.endedNs = activity.nowNs;
        end(writer);
        return;
    }
}

void Watchdog::begin(trace::Writer& writer, trace::RingDecoder& decoder, const std::vector<Ring*>& rings)
{
    ++m_row.id;
    m_row.sinceNs = m_detector.hang().sinceNs;
    m_row.reason = m_detector.hang().reason;
    m_row.endedNs.reset();
    writer.setHang(m_row);
    for (const Ring* ring : rings) {
        if (isWatched(*ring)) {
            decoder.decodeInFlight(ring->mapping(), m_row.id);
        }
    }
    writer.commit();
    requestDump("it hangs");
    say(Talk::IfAsked, "this process hangs: %s", m_row.reason.c_str());
    leaveRequest(*rings.front());
}

void Watchdog::end(trace::Writer& writer)
{
    writer.setHang(m_row);
    writer.commit();
    say(Talk::IfAsked, "this process goes on after its hang");
    withdrawRequest();
}

// Written by rename, so that readers never see a part of it. The start time identifies a reused process
// id.
void Watchdog::leaveRequest(const Ring& ring)
{
    std::ostringstream text;
    text << "ringside-hang\t1\t" << ring.header().pid << '\t' << ring.header().processStartTicks << '\t'
         << m_row.id << '\t' << m_row.reason << '\n';
    m_requested = trace::replaceFile(m_request, text.str());
    if (!m_requested) {
        say(Talk::IfAsked, "no stacks can be asked for: %s: %s", m_request.c_str(), std::strerror(errno));
    }
}

void Watchdog::withdrawRequest()
{
    if (m_requested) {
        unlink(m_request.c_str());
        m_requested = false;
    }
}

} // namespace ringside::collector
