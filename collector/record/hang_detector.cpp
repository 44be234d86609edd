// SPDX-License-Identifier: Apache-2.0
#include "record/hang_detector.h"

#include "api/functions.h"

#include <algorithm>
#include <cstdio>

namespace ringside::collector {
namespace {

std::string nameOf(std::uint32_t api)
{
    return api >= 1 && api <= kApiNames.size() ? std::string(kApiNames[api - 1]) : "an unknown function";
}

std::string seconds(std::int64_t ns)
{
    constexpr double kNsASecond = 1e9;
    char text[32];
    std::snprintf(text, sizeof text, ns < 10 * static_cast<std::int64_t>(kNsASecond) ? "%.1f s" : "%.0f s",
                  static_cast<double>(ns) / kNsASecond);
    return text;
}

/// Number of collectives that make a rhythm.
constexpr int kFewestGaps = 3;

} // namespace

std::string describeThreads(const std::vector<ThreadActivity>& threads)
{
    constexpr std::size_t kMost = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(threads.size(), kMost); ++i) {
        text += (text.empty() ? "thread " : ", thread ") + std::to_string(threads[i].tid) + " is in " +
                (threads[i].api != 0 ? nameOf(threads[i].api) : "no intercepted call");
    }
    if (threads.size() > kMost) {
        text += " (and " + std::to_string(threads.size() - kMost) + " more threads)";
    }
    return text.empty() ? "no thread is recorded any more" : text;
}

HangDetector::Change HangDetector::look(const ProcessActivity& activity)
{
    const bool issued = activity.collectives != m_collectives;
    if (issued) {
        noteProgress(activity.nowNs);
        m_collectives = activity.collectives;
        m_progressNs = activity.nowNs;
    }
    if (m_hanging) {
        if (!issued && !goesOn(activity)) {
            return Change::None;
        }
        if (!issued && m_regular) {
            m_patience.survived(activity.nowNs - m_progressNs);
        }
        m_hanging = false;
        m_progressNs = activity.nowNs;
        return Change::Ended;
    }
    const ThreadActivity* const call = longestUnreported(activity);
    if (call == nullptr && !isOverdue(activity.nowNs)) {
        return Change::None;
    }
    begin(activity, call);
    return Change::Began;
}

/// A gap that is too long for the rhythm (loading, compiling, a checkpoint) starts a new one. Pauses before
/// the first rhythm tell nothing of the job: it loads and compiles.
void HangDetector::noteProgress(std::int64_t nowNs)
{
    constexpr std::int64_t kLongestGapNs = 2'000'000'000; // or a fifth of the timeout, where that is more
    const std::int64_t gap = nowNs - m_progressNs;
    if (m_regular && m_collectives.value_or(0) > 0) {
        m_patience.survived(gap);
    }
    if (m_collectives.value_or(0) == 0 || gap > std::max(kLongestGapNs, m_timeoutNs / 5)) {
        m_rhythm = {};
        return;
    }
    ++m_rhythm.gaps;
    m_rhythm.longestNs = std::max(m_rhythm.longestNs, gap);
    m_regular = m_regular || m_rhythm.gaps >= kFewestGaps;
}

/// A job that stops before it had a rhythm is reported too, after a longer time.
bool HangDetector::isOverdue(std::int64_t nowNs) const
{
    constexpr std::int64_t kByFar = 5;
    const std::int64_t leastNs = m_rhythm.gaps >= kFewestGaps
                                     ? std::max(2 * m_timeoutNs, kByFar * m_rhythm.longestNs)
                                     : 4 * m_timeoutNs;
    return m_collectives.value_or(0) > 0 && nowNs - m_progressNs >= m_patience.of(leastNs);
}

/// Whether the call that hung has returned.
bool HangDetector::goesOn(const ProcessActivity& activity) const
{
    return m_cause && std::none_of(activity.threads.begin(), activity.threads.end(), [&](const auto& thread) {
               return thread.ring == m_cause->ring && thread.api != 0 &&
                      thread.startTicks == m_cause->startTicks;
           });
}

const ThreadActivity* HangDetector::longestUnreported(const ProcessActivity& activity) const
{
    const ThreadActivity* longest = nullptr;
    for (const ThreadActivity& thread : activity.threads) {
        const bool counts = m_collectives.value_or(0) > 0 || nameOf(thread.api).starts_with("nccl");
        if (thread.api == 0 || activity.nowNs - thread.sinceNs < patienceNs() || !counts) {
            continue;
        }
        const auto told = m_reported.find(thread.ring);
        const bool known = told != m_reported.end() && told->second == thread.startTicks;
        if (!known && (longest == nullptr || thread.sinceNs < longest->sinceNs)) {
            longest = &thread;
        }
    }
    return longest;
}

void HangDetector::begin(const ProcessActivity& activity, const ThreadActivity* call)
{
    m_hanging = true;
    m_cause.reset();
    if (call != nullptr) {
        m_cause = *call;
        m_hang = {call->sinceNs, "thread " + std::to_string(call->tid) + " has been in " + nameOf(call->api) +
                                     " for " + seconds(activity.nowNs - call->sinceNs)};
    } else {
        m_hang = {m_progressNs,
                  "no collective issued for " + seconds(activity.nowNs - m_progressNs) +
                      (m_rhythm.gaps < kFewestGaps
                           ? std::string("; ")
                           : ", before that one every " + seconds(m_rhythm.longestNs) + " or sooner; ") +
                      describeThreads(activity.threads)};
        m_rhythm = {};
    }
    for (const ThreadActivity& thread : activity.threads) {
        if (thread.api != 0 && activity.nowNs - thread.sinceNs >= patienceNs()) {
            m_reported[thread.ring] = thread.startTicks;
        }
    }
}

} // namespace ringside::collector
