// SPDX-License-Identifier: Apache-2.0
#include "device/device_tier.h"

#include "device/correlation.h"
#include "device/cupti_buffers.h"
#include "record/levels.h"
#include "record/message.h"

#include <cstdio>

namespace ringside::collector {

namespace {

using State = CuptiReport::State;

/// Under auto, the device tier was not requested explicitly. Its reason is in the trace, and nothing is
/// printed.
Talk talkOfRefusal()
{
    return plan().profile == Profile::Auto && plan().windows.none() ? Talk::IfAsked : Talk::Always;
}

std::string secondsOf(std::int64_t ns)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(ns - startedNs()) / 1e9);
    return text;
}

/// Time for CUPTI to return at the end of recording: half of the time for closing.
constexpr int kEndPatienceMs = 5000;

} // namespace

void DeviceTier::begin(trace::Writer& writer, const Options& options)
{
    if (options.kinetoDaemon && plan().profile == Profile::Auto) {
        m_reserved = "KINETO_USE_DAEMON is set, so CUPTI is left to the PyTorch profiler: profile standard "
                     "takes it all the same";
    }
    m_cudaLoaded = isCudaLoaded();
    describe(writer);
    pass(writer, registry());
}

void DeviceTier::pass(trace::Writer& writer, Registry&)
{
    if (!m_cudaLoaded && isCudaLoaded()) {
        m_cudaLoaded = true;
        describe(writer);
    }
    const bool catchingUp = isCatchingUp();
    m_session.flushSoon(catchingUp);
    m_session.want(m_reserved.empty() && m_cudaLoaded &&
                   (level() >= Level::Standard || isOpeningSoon() || catchingUp));
    takeOver(writer, Reading::Usual);
}

/// Loading and starting CUPTI takes tens of milliseconds or more. If it began with the first step of a
/// window, the window would miss this step.
bool DeviceTier::isOpeningSoon() const
{
    return level() == Level::Light && isDeviceWindowAhead();
}

/// The host is ahead of the device by a step or more. Work that it launched in a window still runs when the
/// window has ended on the host.
bool DeviceTier::isCatchingUp()
{
    constexpr std::int64_t kAtMostNs = 10'000'000'000;
    if (level() != Level::Light || m_state != State::On || !m_reader || isOpeningSoon()) {
        m_overNs.reset();
        return false;
    }
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    if (!m_overNs) {
        m_overNs = now;
        m_reader->awaitWorkAfter(now);
        if (countWindow()) { // too short for any pass to notice it
            m_window = whenDevice(plan());
        }
    }
    return !m_reader->hasSeenLaterWork() && now - *m_overNs < kAtMostNs;
}

void DeviceTier::takeOver(trace::Writer& writer, Reading reading)
{
    const CuptiReport report = m_session.takeReport();
    addClocks(report, writer);
    if (m_reader.has_value() && (m_reader->isClockReady() || reading == Reading::Last)) {
        readBuffers();
    }
    noteState(writer, report);
    for (const CuptiReport::Gap& gap : report.handedOver) {
        noteGap(writer, secondsOf(gap.startNs) + " to " + secondsOf(gap.endNs));
    }
    if (reading == Reading::Last && report.gapNs) {
        noteGap(writer, secondsOf(*report.gapNs) + " to the end");
    }
    countDropped(writer, report.dropped);
    countUntied(writer);
}

void DeviceTier::addClocks(const CuptiReport& report, trace::Writer& writer)
{
    if (report.loaded && !m_reader.has_value()) {
        m_reader.emplace(m_session.library(), writer, registry().threadIds);
    }
    if (m_reader.has_value()) {
        m_reader->setSystemThreadIds(report.systemThreadIds);
    }
    for (const DeviceClockSample& clock : report.clocks) {
        m_reader->addClock(clock);
    }
}

void DeviceTier::readBuffers()
{
    const std::vector<BufferPool::Finished> finished = cuptiBuffers().takeFinished();
    // checked last, because records from before the window belong to no window
    const bool ahead = isOpeningSoon();
    // a flush reads the clock before it returns the records up to then
    for (const DeviceClockSample& clock : m_session.takeClocks()) {
        m_reader->addClock(clock);
    }
    for (const BufferPool::Finished& buffer : finished) {
        if (!ahead) {
            m_reader->read(buffer.data, buffer.validBytes);
        }
        cuptiBuffers().giveBack(buffer.data);
    }
}

void DeviceTier::noteState(trace::Writer& writer, const CuptiReport& report)
{
    if (report.state == State::Refused) {
        noteRefusal(writer, report.reason);
    } else if (report.state == State::StandsBack) {
        if (m_state != State::StandsBack) {
            writer.setTier({"device", report.onNs.has_value(), inWords(plan(), Reason::DeviceTaken),
                            report.onNs, report.gapNs});
        }
    } else if (report.onNs != m_onNs || report.offNs != m_offNs) {
        m_windowCounted = m_windowCounted && report.onNs == m_onNs;
        m_onNs = report.onNs;
        m_offNs = report.offNs;
        noteWindow();
        describe(writer);
    } else if (report.onNs && !report.offNs && noteWindow()) { // continues for another reason
        describe(writer);
    }
    if (report.state == State::DriverGone && m_state != State::DriverGone) {
        writer.add(
            trace::IssueRow{trace::Issue::DeviceEndedFirst, 1,
                            "CUDA had ended at exit before the collector could ask for the last device "
                            "records: of about the last second, what ran on the GPU is not recorded"});
    }
    m_state = report.state;
}

/// Returns whether a window has begun, or has another reason than before. A window that has just ended is not
/// reported.
bool DeviceTier::noteWindow()
{
    const Wanted applied = appliedLevel();
    if (applied.level < Level::Standard) {
        return false;
    }
    std::string window = inWords(plan(), applied.reason);
    const bool begins = countWindow();
    const bool other = window != m_window;
    m_window = std::move(window);
    return begins || other;
}

/// Returns whether the window has not been counted yet.
bool DeviceTier::countWindow()
{
    if (m_windowCounted) {
        return false;
    }
    m_windowCounted = true;
    ++m_windows;
    return true;
}

void DeviceTier::noteRefusal(trace::Writer& writer, const std::string& reason)
{
    if (m_state == State::Refused && reason == m_refusal) {
        return;
    }
    writer.setTier({"device", m_onNs.has_value(), reason, m_onNs, readClockNs(CLOCK_MONOTONIC)});
    if (reason != m_refusal) { // once, for any number of windows
        say(talkOfRefusal(), "what runs on the GPU is not measured: %s", reason.c_str());
        m_refusal = reason;
    }
}

/// The issue lists all of them; its row is replaced with each new one.
void DeviceTier::noteGap(trace::Writer& writer, const std::string& gap)
{
    constexpr int kMostListed = 8;
    ++m_gapCount;
    if (m_gapCount <= kMostListed) {
        m_gaps += (m_gaps.empty() ? "" : ", ") + gap;
    }
    writer.add(trace::IssueRow{
        trace::Issue::DeviceHandedOver, 1,
        "another tool used CUPTI (torch.profiler, for instance), and what ran on the GPU "
        "meanwhile is not recorded: " +
            m_gaps + (m_gapCount > kMostListed ? " and later" : "") + " after recording began"});
}

// The row contains the last window. Table window contains all of them; nothing was measured between them.
void DeviceTier::describe(trace::Writer& writer) const
{
    std::string reason = m_windows > 0 ? m_window : whenDevice(plan());
    if (m_windows > 1) {
        reason +=
            (reason.empty() ? "the last of " : "; the last of ") + std::to_string(m_windows) + " windows";
    }
    if (m_windows == 0 && !m_cudaLoaded) {
        reason = "the program has not loaded CUDA";
    } else if (m_windows == 0 && !m_reserved.empty()) {
        reason = m_reserved;
    }
    const bool measured = m_windows > 0;
    writer.setTier(
        {"device", measured, reason, measured ? m_onNs : std::nullopt, measured ? m_offNs : std::nullopt});
}

void DeviceTier::countDropped(trace::Writer& writer, std::int64_t byCupti)
{
    const BufferPool& buffers = cuptiBuffers();
    const std::int64_t records = byCupti + static_cast<std::int64_t>(buffers.lostRecords());
    if (records != 0) {
        writer.setDropped({"device records", 0, records});
    }
    const auto unread = static_cast<std::int64_t>(buffers.unreadBuffers());
    if (unread != m_unreadBuffers) { // not in `dropped`, which counts records
        writer.add(trace::IssueRow{trace::Issue::DeviceRecordsUnknown, unread - m_unreadBuffers,
                                   "memory was out for buffers of device records: how many records were "
                                   "lost in these buffers is not known"});
        m_unreadBuffers = unread;
    }
}

void DeviceTier::countUntied(trace::Writer& writer)
{
    const auto untied = static_cast<std::int64_t>(g_untiedCalls.load(std::memory_order_relaxed));
    if (untied != m_untiedCalls) {
        writer.add(
            trace::IssueRow{trace::Issue::LaunchesNotTied, untied - m_untiedCalls,
                            "NCCL launched these calls' kernels from a thread of its own (communicators "
                            "that do not block), and only from 2.28 on its profiler says which kernel is "
                            "which call's: they count as communication, who came last is not known"});
        m_untiedCalls = untied;
    }
}

void DeviceTier::end(trace::Writer& writer, Registry&)
{
    if (!m_session.end(kEndPatienceMs)) {
        say(Talk::Always, "CUPTI has not come back from a call: the last device records are missing");
        writer.add(
            trace::IssueRow{trace::Issue::DeviceCallsBlocked, 1,
                            "CUPTI had not come back from a call when the process ended: the last device "
                            "records are missing"});
    }
    takeOver(writer, Reading::Last);
    if (m_reader.has_value()) {
        m_reader->reportIssues();
    }
}

void DeviceTier::abandon()
{
    m_session.end(kEndPatienceMs);
}

} // namespace ringside::collector
