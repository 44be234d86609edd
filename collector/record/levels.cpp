// SPDX-License-Identifier: Apache-2.0
#include "record/levels.h"

#include "record/clock.h"
#include "record/ring.h"
#include "record/steps.h"

#include <algorithm>

namespace ringside::collector {

constinit Gate g_gate;

namespace {

constexpr int kNobody = -1;
constexpr std::uint64_t kLevelBits = 4;

// An order by step fits one word, so that a thread that begins a step reads it whole.
std::uint64_t pack(const LevelOrder& order)
{
    return order.fromStep << kLevelBits | static_cast<std::uint64_t>(order.level);
}
Level levelOf(std::uint64_t packed)
{
    return static_cast<Level>(packed & ((1U << kLevelBits) - 1));
}

struct State {
    Plan plan;
    std::int64_t startNs = 0;
    std::atomic<bool> started{false};
    std::atomic<bool> pausedByProgram{false};
    std::atomic<bool> full{false};
    std::atomic<int> inForce{kNobody};       ///< a Level that was ordered
    std::atomic<std::uint64_t> dueAtStep{0}; ///< packed; 0: none
    std::optional<LevelOrder> dueAtTime;     ///< of the drain thread
    std::atomic<std::uint32_t> applied{0};   ///< packed Wanted, so that a new reason counts as a change
    LevelChanges changes;
};

constinit State g_state; // no destructor: threads outlive it

std::uint32_t pack(const Wanted& wanted)
{
    return static_cast<std::uint32_t>(wanted.level) << 8U | static_cast<std::uint32_t>(wanted.reason);
}
Wanted unpack(std::uint32_t packed)
{
    return {static_cast<Level>(packed >> 8U), static_cast<Reason>(packed & 0xFFU)};
}

Moment momentNow(const State& now)
{
    Moment moment;
    moment.steps = stepsNoted();
    moment.sinceStartNs = readClockNs(CLOCK_MONOTONIC) - now.startNs;
    moment.pausedByProgram = now.pausedByProgram.load();
    moment.full = now.full.load();
    if (const std::uint64_t due = now.dueAtStep.load(); due != 0 && moment.steps >= due >> kLevelBits) {
        moment.ordered = levelOf(due);
    } else if (const int level = now.inForce.load(); level != kNobody) {
        moment.ordered = static_cast<Level>(level);
    }
    return moment;
}

// What is due becomes what is in force, so that the next order may take its place.
void promote(State& now)
{
    if (const std::uint64_t due = now.dueAtStep.load(); due != 0 && stepsNoted() >= due >> kLevelBits) {
        now.inForce.store(static_cast<int>(levelOf(due)));
        now.dueAtStep.store(0);
    }
    if (now.dueAtTime && readClockNs(CLOCK_MONOTONIC) >= now.dueAtTime->fromNs) {
        now.inForce.store(static_cast<int>(now.dueAtTime->level));
        now.dueAtTime.reset();
    }
}

} // namespace

void LevelChanges::add(const LevelChange& change)
{
    const std::uint64_t index = m_next.fetch_add(1);
    Entry& entry = m_entries[index % kEntries];
    entry.number.store(0);
    entry.atNs.store(change.atNs);
    entry.steps.store(change.steps);
    entry.now.store(pack(change.now));
    entry.number.store(index + 1);
}

std::vector<LevelChange> LevelChanges::take()
{
    std::vector<LevelChange> result;
    const std::uint64_t end = m_next.load();
    for (std::uint64_t index = std::max(m_read, end > kEntries ? end - kEntries : 0); index < end; ++index) {
        const Entry& entry = m_entries[index % kEntries];
        if (entry.number.load() == 0) {
            break; // its thread is just writing it: next time
        }
        const LevelChange change{entry.atNs.load(), unpack(entry.now.load()), entry.steps.load()};
        m_read = index + 1;
        if (entry.number.load() == index + 1) {
            result.push_back(change);
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const LevelChange& a, const LevelChange& b) { return a.atNs < b.atNs; });
    return result;
}

void startLevels(const Plan& plan, std::int64_t startNs)
{
    State& now = g_state;
    now.plan = plan;
    now.startNs = startNs;
    const Wanted first = wantedAt(plan, momentNow(now));
    now.applied.store(pack(first));
    g_gate.setLevel(first.level);
    now.changes.add({startNs, first, 0});
    now.started.store(true);
}

const Plan& plan()
{
    return g_state.plan;
}

Wanted appliedLevel()
{
    return unpack(g_state.applied.load());
}

bool applyLevel()
{
    State& now = g_state;
    if (!now.started.load()) {
        return false;
    }
    bool changed = false;
    // Again until nothing has changed meanwhile: another thread may have put an older answer over a newer
    // one.
    for (;;) {
        const Moment moment = momentNow(now);
        const Wanted wanted = wantedAt(now.plan, moment);
        if (now.applied.exchange(pack(wanted)) == pack(wanted) && level() == wanted.level) {
            return changed;
        }
        g_gate.setLevel(wanted.level);
        now.changes.add({now.startNs + moment.sinceStartNs, wanted, moment.steps});
        changed = true;
    }
}

void pauseByProgram(bool pause)
{
    g_state.pausedByProgram.store(pause);
    if (applyLevel()) {
        requestDrain();
    }
}

std::int64_t startedNs()
{
    return g_state.startNs;
}

void pauseForGood()
{
    g_state.full.store(true);
    applyLevel();
}

void order(const LevelOrder& order)
{
    State& now = g_state;
    promote(now);
    now.dueAtStep.store(order.fromStep != 0 ? pack(order) : 0);
    now.dueAtTime = order.fromStep == 0 ? std::optional(order) : std::nullopt;
    promote(now);
}

bool isOrderInForce()
{
    State& now = g_state;
    promote(now);
    return now.dueAtStep.load() == 0 && !now.dueAtTime;
}

std::optional<std::int64_t> nextLevelChangeNs()
{
    const State& now = g_state;
    auto next = nextTimedChange(now.plan, momentNow(now));
    if (next) {
        next = *next + now.startNs;
    }
    if (now.dueAtTime) {
        next = std::min(next.value_or(now.dueAtTime->fromNs), now.dueAtTime->fromNs);
    }
    return next;
}

std::vector<LevelChange> takeLevelChanges()
{
    return g_state.changes.take();
}

} // namespace ringside::collector
