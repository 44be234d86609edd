// SPDX-License-Identifier: Apache-2.0
#include "device/event_tier.h"

#include "record/levels.h"
#include "record/message.h"

namespace ringside::collector {
namespace {

constexpr const char* kTier = "events";
constexpr const char* kNotNeeded = "not needed: CUPTI measures what runs on the GPU";
constexpr const char* kMeasuring = "CUPTI could not be used: NCCL's calls alone, from event to event";

/// A call without times is an issue of its own kind; those without room are drops.
struct SkipText {
    std::optional<trace::Issue> issue; ///< null: it counts as dropped
    const char* message;
};
constexpr std::array<SkipText, static_cast<std::size_t>(EventSkip::kCount)> kSkips{{
    {std::nullopt, "event times"},
    {trace::Issue::EventTimeNotReady, "NCCL calls came before the CUDA events of their device were made"},
    {trace::Issue::EventTimeCaptured,
     "NCCL calls were captured into a CUDA graph: CUDA events do not time them"},
    {trace::Issue::EventTimeLegacyStream,
     "NCCL calls on the legacy default stream are not timed by CUDA events, each "
     "of which would hold up all blocking streams"},
    {trace::Issue::EventTimeOtherDevice,
     "NCCL calls whose stream's device is not known, or not the communicator's, are not timed"},
    {trace::Issue::EventTimeErrorPending,
     "NCCL calls were not timed because the program had not fetched an earlier CUDA error"},
    {trace::Issue::EventTimeNotLaunched,
     "NCCL calls that failed, or launch later (blocking = 0), have no event times"},
    {trace::Issue::EventTimeManyStreams, "NCCL calls in groups on more than 16 streams have no event times"},
    {trace::Issue::EventTimeNotEnded,
     "NCCL calls that had not ended on the GPU with the process or its device have no event times"},
}};

/// Taken and never read: their calls were under way when it was over.
std::uint64_t unreadPairs()
{
    std::uint64_t pairs = 0;
    for (const std::atomic<EventPool*>& entry : g_eventTiming.pools) {
        if (EventPool* const pool = entry.load(); pool != nullptr) {
            pool->forEachRecorded([&pairs](const EventPair&) { ++pairs; });
        }
    }
    return pairs;
}

} // namespace

void EventTier::begin(trace::Writer& writer, const Options& options)
{
    m_asked = options.cudaEvents;
    if (!m_asked) {
        return;
    }
    if (options.oneConnection) {
        refuse(writer,
               "CUDA_DEVICE_MAX_CONNECTIONS is 1: the program relies on the order of what it launches, "
               "which events would change");
        return;
    }
    describe(writer, whenDevice(plan()));
    pass(writer, registry());
}

void EventTier::pass(trace::Writer& writer, Registry& registry)
{
    if (m_asked && !m_over) {
        decide(writer, registry);
    }
    if (m_started) {
        countSkipped(writer);
    }
}

void EventTier::decide(trace::Writer& writer, const Registry& registry)
{
    if (g_eventTiming.failedIn.load() != nullptr || g_eventTiming.gone.load()) {
        noteEnd(writer);
        return;
    }
    const bool inWindow = level() >= Level::Standard && registry.devicesSeen.load() != 0;
    if (inWindow && m_device.isOn() && !m_saidNotNeeded) {
        m_saidNotNeeded = true;
        say(Talk::Always, "CUDA events are %s", kNotNeeded);
        describe(writer, kNotNeeded);
    }
    const bool wanted = inWindow && m_device.isUnavailable();
    if (wanted && !m_started) {
        start(writer);
    }
    if (m_started && wanted != m_on) {
        m_on = wanted;
        m_offNs = wanted ? std::nullopt : std::optional(readClockNs(CLOCK_MONOTONIC));
        m_session.want(wanted);
        if (!wanted) {
            describe(writer, kMeasuring);
        }
    }
    if (m_onNs.value_or(0) != m_session.onNs()) {
        m_onNs = m_session.onNs();
        describe(writer, kMeasuring);
    }
}

void EventTier::start(trace::Writer& writer)
{
    if (const char* const missing = g_eventTiming.cuda.find(); missing != nullptr) {
        refuse(writer, std::string("the CUDA runtime has no ") + missing);
        return;
    }
    const char* const obstacle = m_session.start();
    if (obstacle != nullptr) {
        refuse(writer, obstacle);
        return;
    }
    m_started = true;
}

void EventTier::refuse(trace::Writer& writer, const std::string& reason)
{
    m_over = true;
    describe(writer, reason);
    say(Talk::Always, "NCCL's calls are not timed by CUDA events: %s", reason.c_str());
}

// A program that resets its device, or whose CUDA runtime is being unloaded, is about to end: not worth a
// line.
void EventTier::noteEnd(trace::Writer& writer)
{
    constexpr int kUnloading = 4; // cudaErrorCudartUnloading
    m_offNs = readClockNs(CLOCK_MONOTONIC);
    const char* const function = g_eventTiming.failedIn.load(std::memory_order_acquire);
    if (function != nullptr && g_eventTiming.error.load() != kUnloading) {
        refuse(writer, eventFailure(function, g_eventTiming.error.load()));
        return;
    }
    m_over = true;
    describe(writer, function != nullptr ? kMeasuring : "ended: the program called cudaDeviceReset()");
}

void EventTier::describe(trace::Writer& writer, const std::string& reason)
{
    m_reason = reason;
    writer.setTier({kTier, m_onNs.has_value(), reason, m_onNs, m_offNs});
}

void EventTier::countSkipped(trace::Writer& writer)
{
    for (std::size_t i = 0; i < kSkips.size(); ++i) {
        const std::uint64_t count = g_eventTiming.skipped[i].load(std::memory_order_relaxed);
        if (count == m_counted[i]) {
            continue;
        }
        if (!kSkips[i].issue) {
            writer.setDropped({kSkips[i].message, 0, static_cast<std::int64_t>(count)});
        } else {
            writer.add(trace::IssueRow{*kSkips[i].issue, static_cast<std::int64_t>(count - m_counted[i]),
                                       kSkips[i].message});
        }
        if (i == static_cast<std::size_t>(EventSkip::LegacyStream) && m_counted[i] == 0) {
            say(Talk::Always, "%s", kSkips[i].message);
            describe(writer, m_reason + "; not on the legacy default stream");
        }
        m_counted[i] = count;
    }
}

void EventTier::end(trace::Writer& writer, Registry& registry)
{
    if (!m_started) {
        pass(writer, registry); // a process that ends early may have been refused since
        return;
    }
    abandon();
    g_eventTiming.skip(EventSkip::NotEnded, unreadPairs());
    pass(writer, registry);
}

void EventTier::abandon()
{
    constexpr int kPatienceMs = 2000;
    if (m_started && !m_session.end(kPatienceMs)) {
        say(Talk::Always, "CUDA has not come back from a question about an event: the last are missing");
    }
}

} // namespace ringside::collector
